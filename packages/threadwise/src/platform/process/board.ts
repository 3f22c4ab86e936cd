/**
 * The claim board of one worker in a file without a name, as two processes share no memory: main has it open, and its child inherits it.
 * README.md beside this file has the protocol.
 */
import { closeSync, existsSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MainBoard, NewBoard, WorkerBoard } from '../../core/contracts.js';
import { type Ring, RING_BYTES } from './ring.js';

/** Main's word on a cell. */
const POSTED = 0;
const ASKING = 1;
const WITHDRAWN = 2;
const ABORTING = 3;

/** What the worker writes for each cell: the stamp of the posting that it has claimed, when that was (a Float64), the stamp again. */
const CLAIM_BYTES = 10;
/** Stamps are from 1 to this. A cell is posted again only when its worker has claimed or passed it, so two would do. */
const MAX_STAMP = 255;
const STAMP_SHIFT = 16;

const cellOf = (ticket: number) => ticket & 0xffff;
const stampOf = (ticket: number) => ticket >>> STAMP_SHIFT;
/** Where in the file the two sides write. */
const wordAt = ({ at }: BoardFile, ticket: number) => at + cellOf(ticket);
const claimAt = ({ at, cells }: BoardFile, ticket: number) => at + cells + cellOf(ticket) * CLAIM_BYTES;
const boardBytes = (cells: number) => cells * (1 + CLAIM_BYTES);

/** Where a file costs no disk, if there is such a place. */
const SHARED_DIR = '/dev/shm';
const IS_MEMORY = existsSync(SHARED_DIR);

let count = 0;

/** What a child opens its end from. `fd`: as the process calls it that asks. `at`: where the board begins. */
export interface BoardFile {
  readonly fd: number;
  readonly at: number;
  readonly cells: number;
  /** Set as soon as its worker is known to be gone: nothing more can be posted. */
  isGone: boolean;
}

/** Behind the board: room for large messages. None where the file may be on a disk. */
export function ringsOf({ fd, at, cells }: BoardFile): { readonly toWorker?: Ring; readonly toMain?: Ring } {
  if (!IS_MEMORY) return {};
  const start = at + boardBytes(cells);
  const ring = (number: number) => ({ fd, at: start + number * RING_BYTES, byteLength: RING_BYTES });
  return { toWorker: ring(0), toMain: ring(1) };
}

/** A file with the boards of workers that may share a process, which inherits it. It is open as long as one of them is. */
export class BoardFiles {
  #fd = -1;
  /** Numbers of the boards that are open, each of the same size. */
  readonly #taken = new Set<number>();

  /** @param cells how many tasks can be posted at a time; the same at every call */
  readonly newBoard = (cells: number): NewBoard => {
    if (this.#taken.size === 0) this.#fd = openUnnamed();
    let number = 0;
    while (this.#taken.has(number)) number++;
    this.#taken.add(number);
    const bytes = boardBytes(cells);
    const at = number * (bytes + 2 * RING_BYTES);
    const memory: BoardFile = { fd: this.#fd, at, cells, isGone: false };
    writeSync(memory.fd, new Uint8Array(bytes), 0, bytes, memory.at); // there may stand what a former worker has claimed
    const close = () => {
      this.#taken.delete(number);
      if (this.#taken.size === 0) closeSync(memory.fd);
    };
    return { board: new FileBoard(memory, close), memory };
  };
}

/** In a file of its own. @param cells how many tasks can be posted at a time */
export const newFileBoard = (cells: number): NewBoard => new BoardFiles().newBoard(cells);

function openUnnamed(): number {
  const name = `threadwise-${process.pid}-${Date.now().toString(36)}-${++count}`;
  const path = join(IS_MEMORY ? SHARED_DIR : tmpdir(), name);
  const fd = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return fd;
}

class FileBoard implements MainBoard {
  readonly #file: BoardFile;
  /** Undefined: it is closed. */
  #close: (() => void) | undefined;
  /** The stamp of the last posting of each cell. */
  readonly #stamps: Uint8Array;
  /** What stands in the file. */
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
    if (this.room === 0) throw new Error('threadwise: no free cell on the claim board');
    const cell = this.#free.pop()!;
    const stamp = (this.#stamps[cell]! % MAX_STAMP) + 1;
    this.#stamps[cell] = stamp;
    const ticket = cell | (stamp << STAMP_SHIFT);
    if (this.#words[cell] !== POSTED) this.#say(ticket, POSTED); // the worker does not look at it any more, nor yet
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
    // Where the time is only half written, it is now: `trust.ts` says so of what is in the future.
    const isWhole = this.#claim[0] === this.#claim[CLAIM_BYTES - 1];
    return isWhole ? this.#claim.readDoubleLE(1) : Number.POSITIVE_INFINITY;
  }

  /** The worker does not say it: that would be one more system call for each task. */
  hasEnded(): boolean {
    return false;
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

  /** Whether the worker has looked at this posting: it runs it, or, if it is withdrawn, has passed it. */
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

/** The child's end. */
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
    // Main is between two system calls, or does not run at all: then this process has nothing to do, either.
    while (word === ASKING) word = this.#wordOn(ticket);
    return word !== WITHDRAWN;
  }

  isAborting(ticket: number): boolean {
    return this.#wordOn(ticket) === ABORTING;
  }

  /** Main does not look for it. */
  end(): void {}

  #wordOn(ticket: number): number {
    readSync(this.#file.fd, this.#word, 0, 1, wordAt(this.#file, ticket));
    return this.#word[0]!;
  }
}
