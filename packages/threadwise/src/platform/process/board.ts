/**
 * The claim board of one worker, in a file without a name, because two processes share no memory: main opens the file, and its child
 * inherits it. README.md beside this file has the protocol.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MainBoard, NewBoard, WorkerBoard } from '../../core/contracts.js';
import { type Ring, RING_BYTES, writeAll } from './ring.js';

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

/** A folder whose files are in memory, on systems that have it. */
const SHARED_DIR = '/dev/shm';

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

export function ringsOf(file: BoardFile): { readonly toWorker?: Ring; readonly toMain?: Ring } {
  const { fd, at, cells, hasRings } = file;
  if (!hasRings) return {};
  const start = at + boardBytes(cells);
  const ring = (number: number): Ring => ({
    fd,
    at: start + number * RING_BYTES,
    byteLength: RING_BYTES,
    takenAt: start - 2 + number,
  });
  return { toWorker: ring(0), toMain: ring(1) };
}

/** A file with the boards of workers that may share a process, which inherits the file. The file is open as long as any board is. */
export class BoardFiles {
  #file: { readonly fd: number; readonly hasRings: boolean } | undefined;
  /** The numbers of the open boards, which all have the same size. */
  readonly #taken = new Set<number>();

  /** Throws what the system refuses. @param cells how many tasks can be posted at a time; the same at every call */
  readonly newBoard = (cells: number): NewBoard => {
    let number = 0;
    while (this.#taken.has(number)) number++;
    this.#taken.add(number);
    const bytes = boardBytes(cells);
    const at = number * (bytes + 2 * RING_BYTES);
    const close = () => {
      this.#taken.delete(number);
      if (this.#taken.size > 0 || this.#file === undefined) return;
      closeSync(this.#file.fd);
      this.#file = undefined;
    };
    try {
      this.#file ??= openUnnamed(bytes);
      writeAll(this.#file.fd, new Uint8Array(bytes), at); // clears what a former worker has claimed
    } catch (error) {
      close();
      throw error;
    }
    const memory: BoardFile = { ...this.#file, at, cells, isGone: false };
    return { board: new FileBoard(memory, close), memory };
  };
}

/** A board in a file of its own. @param cells how many tasks can be posted at a time */
export const newFileBoard = (cells: number): NewBoard => new BoardFiles().newBoard(cells);

/** Opens a file without a name, with room for `byteLength` bytes at least. */
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
    return { fd: open(SHARED_DIR), hasRings: true };
  } catch {
    return { fd: open(tmpdir()), hasRings: false }; // there is no such folder, it is full, or it must not be written to
  }
}

class FileBoard implements MainBoard {
  readonly #file: BoardFile;
  /** Undefined when the board is closed. */
  #close: (() => void) | undefined;
  /** The stamp of the last posting of each cell. */
  readonly #stamps: Uint8Array;
  /** Main's words, as they are in the file. */
  readonly #words: Uint8Array;
  readonly #free: number[];
  /** Tickets that were withdrawn, and that the worker has not passed. */
  readonly #withdrawn = new Set<number>();
  readonly #word = Buffer.alloc(1);
  readonly #claim = Buffer.alloc(CLAIM_BYTES);

  constructor(file: BoardFile, close: () => void) {
    const { cells } = file;
    this.#file = file;
    this.#close = close;
    this.#stamps = new Uint8Array(cells);
    this.#words = new Uint8Array(cells);
    this.#free = [...this.#stamps.keys()];
  }

  get room(): number {
    if (this.#file.isGone) return 0;
    if (this.#free.length === 0)
      for (const ticket of this.#withdrawn) if (this.#isClaimed(ticket)) this.pass(ticket);
    return this.#free.length;
  }

  post(): number {
    if (this.room === 0) throw new Error('threadwise: no free cell');
    const cell = this.#free.pop()!;
    const stamp = (this.#stamps[cell]! % MAX_STAMP) + 1;
    this.#stamps[cell] = stamp;
    const ticket = cell | (stamp << STAMP_SHIFT);
    if (this.#words[cell] !== POSTED) this.#say(ticket, POSTED); // between two postings the worker does not read the word
    return ticket;
  }

  withdraw(ticket: number): boolean {
    if (this.#withdrawn.has(ticket) || this.#isClaimed(ticket)) return false;
    this.#say(ticket, ASKING);
    const isClaimed = this.#isClaimed(ticket);
    this.#say(ticket, isClaimed ? POSTED : WITHDRAWN);
    if (!isClaimed) this.#withdrawn.add(ticket);
    return !isClaimed;
  }

  beganAt(ticket: number): number | undefined {
    if (!this.#isClaimed(ticket)) return undefined;
    // A time that is only half written counts as now: `trust.ts` takes a time in the future for now.
    const isWhole = this.#claim[0] === this.#claim[CLAIM_BYTES - 1];
    return isWhole ? this.#claim.readDoubleLE(1) : Number.POSITIVE_INFINITY;
  }

  abort(ticket: number): void {
    if (this.#isClaimed(ticket)) this.#say(ticket, ABORTING);
  }

  release(ticket: number): void {
    this.#free.push(cellOf(ticket));
  }

  pass(ticket: number): void {
    if (this.#withdrawn.delete(ticket)) this.release(ticket);
  }

  close(): void {
    this.#close?.();
    this.#close = undefined;
  }

  /** Whether the worker has looked at this posting: it runs the task or, if the task was withdrawn, has passed it. */
  #isClaimed(ticket: number): boolean {
    if (this.#close === undefined) return false;
    readSync(this.#file.fd, this.#claim, 0, CLAIM_BYTES, claimAt(this.#file, ticket));
    const stamp = stampOf(ticket);
    return this.#claim[0] === stamp || this.#claim[CLAIM_BYTES - 1] === stamp;
  }

  #say(ticket: number, word: number): void {
    if (this.#close === undefined) return;
    this.#words[cellOf(ticket)] = word;
    this.#word[0] = word;
    writeSync(this.#file.fd, this.#word, 0, 1, wordAt(this.#file, ticket));
  }
}

/** The worker's end, in the child process. */
export class FileBoardEnd implements WorkerBoard {
  readonly #file: BoardFile;
  readonly #word = Buffer.alloc(1);
  readonly #claim = Buffer.alloc(CLAIM_BYTES);

  constructor(file: BoardFile) {
    this.#file = file;
  }

  claim(ticket: number, now: number): boolean {
    const stamp = stampOf(ticket);
    this.#claim[0] = stamp;
    this.#claim.writeDoubleLE(now, 1);
    this.#claim[CLAIM_BYTES - 1] = stamp;
    writeSync(this.#file.fd, this.#claim, 0, CLAIM_BYTES, claimAt(this.#file, ticket));
    let word = this.#wordOn(ticket);
    // While the word is ASKING, main is between two system calls, or does not run at all: then this process has nothing to do, either.
    while (word === ASKING) word = this.#wordOn(ticket);
    return word !== WITHDRAWN;
  }

  isAborting(ticket: number): boolean {
    return this.#wordOn(ticket) === ABORTING;
  }

  #wordOn(ticket: number): number {
    readSync(this.#file.fd, this.#word, 0, 1, wordAt(this.#file, ticket));
    return this.#word[0]!;
  }
}
