/** The claim board of one worker, in a file without a name, which its process inherits. README.md beside this file has the protocol. */
import { closeSync, openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MainBoard, NewBoard, WorkerBoard } from '../../core/contracts.js';
import { readAll, type Ring, RING_BYTES, writeAll } from './ring.js';

/** The values of the word that main writes for each cell. */
const POSTED = 0;
const ASKING = 1;
const WITHDRAWN = 2;
const ABORTING = 3;

/** How many bytes the worker writes for each cell: the stamp of the posting that it has claimed, the time (a Float64), the stamp again. */
const CLAIM_BYTES = 10;
/** The largest stamp; the smallest is 1. A cell is posted again only when its worker has claimed or passed it, so two stamps would do. */
const MAX_STAMP = 255;
const STAMP_SHIFT = 16;

const cellOf = (ticket: number) => ticket & 0xffff;
const stampOf = (ticket: number) => ticket >>> STAMP_SHIFT;
/** The offsets in the file at which main (`wordAt`) and the worker (`claimAt`) write. */
const wordAt = ({ at }: BoardFile, ticket: number) => at + cellOf(ticket);
const claimAt = ({ at, cells }: BoardFile, ticket: number) => at + cells + cellOf(ticket) * CLAIM_BYTES;
/** The board, and the byte of each ring in which its reader counts. */
const boardBytes = (cells: number) => cells * (1 + CLAIM_BYTES) + 2;

let count = 0;

/** What an end of the board needs. `fd`: the descriptor in the process that uses this object. `at`: the board's offset in the file. */
export interface BoardFile {
  readonly fd: number;
  readonly at: number;
  readonly cells: number;
  /** Whether there are rings for large messages behind the board. There are none where the file may be on a disk. */
  readonly hasRings: boolean;
  /** Set as soon as the worker is known to be gone: nothing more can be posted. */
  isGone: boolean;
}

/** The rings behind the board: to the worker, to main. */
export function ringsOf({ fd, at, cells, hasRings }: BoardFile): readonly Ring[] {
  const start = at + boardBytes(cells);
  const place = (number: number) => ({ at: start + number * RING_BYTES, takenAt: start - 2 + number });
  return hasRings ? [0, 1].map((number) => ({ fd, byteLength: RING_BYTES, ...place(number) })) : [];
}

/** Returns a function that makes boards in one file, for workers that may share a process; it is open as long as any of them is. May throw. */
export function boardsInOneFile(): (cells: number) => NewBoard {
  let opened: Pick<BoardFile, 'fd' | 'hasRings'> | undefined;
  /** The numbers of the open boards, which all have the same size. */
  const taken = new Set<number>();
  return (cells) => {
    let number = 0;
    while (taken.has(number)) number++;
    taken.add(number);
    const bytes = boardBytes(cells);
    const at = number * (bytes + 2 * RING_BYTES);
    const close = () => {
      taken.delete(number);
      if (taken.size > 0 || opened === undefined) return;
      closeSync(opened.fd);
      opened = undefined;
    };
    try {
      opened ??= openUnnamed(bytes);
      writeAll(opened.fd, new Uint8Array(bytes), at); // clears what a former worker has claimed
    } catch (error) {
      close();
      throw error;
    }
    const memory: BoardFile = { ...opened, at, cells, isGone: false };
    return { board: mainBoard(memory, close), memory };
  };
}

/** A board in a file of its own, for as many tasks as `cells` at a time. */
export const newFileBoard = (cells: number): NewBoard => boardsInOneFile()(cells);

function openUnnamed(byteLength: number) {
  const open = (folder: string) => {
    const path = join(folder, `threadwise-${process.pid}-${Date.now().toString(36)}-${++count}`);
    const fd = openSync(path, 'wx+', 0o600);
    try {
      unlinkSync(path);
      writeAll(fd, new Uint8Array(byteLength));
      return fd;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  };
  try {
    return { fd: open('/dev/shm'), hasRings: true }; // its files are in memory
  } catch {
    return { fd: open(tmpdir()), hasRings: false }; // there is no such folder, it is full, or it must not be written to
  }
}

function mainBoard(file: BoardFile, closeFile: () => void): MainBoard {
  /** For each cell: the stamp of its last posting, and main's word as the file has it. */
  const [stamps, words] = [new Uint8Array(file.cells), new Uint8Array(file.cells)];
  const free = [...stamps.keys()];
  /** Tickets that were withdrawn, and that the worker has not passed. */
  const withdrawn = new Set<number>();
  const claim = Buffer.alloc(CLAIM_BYTES);
  let isClosed = false;

  /** Whether the worker has looked at this posting: it runs the task or, if the task was withdrawn, has passed it. */
  const isClaimed = (ticket: number): boolean => {
    if (isClosed) return false;
    readAll(file.fd, claim, claimAt(file, ticket));
    return claim[0] === stampOf(ticket) || claim[CLAIM_BYTES - 1] === stampOf(ticket);
  };
  const say = (ticket: number, word: number): void => {
    if (isClosed) return;
    words[cellOf(ticket)] = word;
    writeAll(file.fd, Uint8Array.of(word), wordAt(file, ticket));
  };
  const board: MainBoard = {
    get room() {
      if (file.isGone) return 0;
      if (free.length === 0) for (const ticket of withdrawn) if (isClaimed(ticket)) board.pass(ticket);
      return free.length;
    },
    post() {
      if (board.room === 0) throw new Error('threadwise: no free cell');
      const cell = free.pop()!;
      const stamp = (stamps[cell]! % MAX_STAMP) + 1;
      stamps[cell] = stamp;
      const ticket = cell | (stamp << STAMP_SHIFT);
      if (words[cell] !== POSTED) say(ticket, POSTED); // between two postings the worker does not read the word
      return ticket;
    },
    withdraw(ticket) {
      if (withdrawn.has(ticket) || isClaimed(ticket)) return false;
      say(ticket, ASKING);
      const hasBegun = isClaimed(ticket);
      say(ticket, hasBegun ? POSTED : WITHDRAWN);
      if (!hasBegun) withdrawn.add(ticket);
      return !hasBegun;
    },
    beganAt(ticket) {
      if (!isClaimed(ticket)) return undefined;
      // A time that is only half written counts as now: `trust.ts` takes a time in the future for now.
      return claim[0] === claim[CLAIM_BYTES - 1] ? claim.readDoubleLE(1) : Number.POSITIVE_INFINITY;
    },
    abort(ticket) {
      if (isClaimed(ticket)) say(ticket, ABORTING);
    },
    release: (ticket) => void free.push(cellOf(ticket)),
    pass(ticket) {
      if (withdrawn.delete(ticket)) board.release(ticket);
    },
    close() {
      if (!isClosed) closeFile();
      isClosed = true;
    },
  };
  return board;
}

export function workerBoard(file: BoardFile): WorkerBoard {
  const word = new Uint8Array(1);
  const claim = Buffer.alloc(CLAIM_BYTES);
  const wordOn = (ticket: number) => {
    readAll(file.fd, word, wordAt(file, ticket));
    return word[0]!;
  };
  return {
    claim(ticket, now) {
      claim.fill(stampOf(ticket)).writeDoubleLE(now, 1);
      writeAll(file.fd, claim, claimAt(file, ticket));
      // While the word is ASKING, main is between two system calls, or does not run at all: then this process has nothing to do, either.
      while (wordOn(ticket) === ASKING);
      return word[0] !== WITHDRAWN;
    },
    isAborting: (ticket) => wordOn(ticket) === ABORTING,
  };
}
