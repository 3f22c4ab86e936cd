/** Main's side of workers that share a process, each as a thread of it. README.md beside this file has the protocol. */
import type { Platform, Thread, ThreadExit, ThreadSpec } from '../../core/contracts.js';
import { decodeError } from '../../transport/codec/error-codec.js';
import { clockZero } from '../node/clock.js';
import { relaySource, threadSource } from '../node/thread-sources.js';
import { type BoardFile, ringsOf } from './board.js';
import { givenTo, NodeProcess, optionsOf, readSocket } from './node-process.js';
import { FD, type Pipe, PipePort } from './port.js';
import type { FromRelay, RelayBoot, ToRelay } from './relay-entry.js';
import type { Surroundings } from './thread-entry.js';

/** Seats of a process for each worker that it is to have: a worker that retires still has its seat when the next one starts. */
const SEATS = 2;
/** How many milliseconds pass between two looks at a thread that was told to end. Chosen by hand. */
const LOOK_MS = 500;
/**
 * After how many looks the process of such a thread is killed: a thread that native code blocks never ends. Looks are counted, and no time
 * is taken, because main hears nothing while it is itself blocked or stopped. Chosen by hand.
 */
const MOST_LOOKS = 10;

/** How the workers of a pool are divided among processes. */
export interface Division {
  /** Workers per process. */
  readonly threads: number;
  /** How many processes there are. While many workers are replaced at once, there may be more. */
  readonly processes: number;
}

/** Returns `spawn`: a worker starts in the oldest process that has too few workers, else in a new process or, if there are enough, the least loaded. */
export function spawnShared({ threads, processes }: Division): Platform['spawn'] {
  /** Processes that can take workers, the oldest first. */
  const open = new Set<SharedProcess>();
  const found = () => {
    const free = [...open].filter(({ hasSeat }) => hasSeat);
    const hasTooFew = free.find(({ load }) => load < threads);
    const [least] = open.size < processes ? [] : free.sort((a, b) => a.load - b.load);
    return hasTooFew ?? least;
  };
  const started = (spec: ThreadSpec) => {
    const process = new SharedProcess(spec, threads * SEATS, () => open.delete(process));
    open.add(process);
    return process;
  };
  return (spec, onExit) => (found() ?? started(spec)).start(spec, onExit);
}

/** What main keeps for one worker of the process. */
interface Member {
  readonly seat: number;
  readonly port: PipePort;
  readonly board: BoardFile;
  readonly tell: (exit: ThreadExit) => void;
  /** Whether the worker begins no more tasks. */
  isRetired: boolean;
  /** Counts looks at the worker, once it was told to end. */
  looks: NodeJS.Timeout | undefined;
}

class SharedProcess {
  readonly #relay = new PipePort();
  readonly #process: NodeProcess;
  readonly #seats: number;
  readonly #members = new Map<number, Member>();
  readonly #onClosed: () => void;
  /** How the last worker ended, after which the process was killed. */
  #lastExit: ThreadExit | undefined;

  /** @param onClosed called when no more workers can be started here */
  constructor({ settings, poolName, wire }: ThreadSpec, seats: number, onClosed: () => void) {
    this.#seats = seats;
    this.#onClosed = onClosed;
    const execArgv = optionsOf(settings);
    const boot: RelayBoot = { poolName, execArgv, clockZero: clockZero(), source: threadSource() };
    const board: BoardFile = { ...(wire.memory as BoardFile), hasRings: false }; // the relay has none
    const start = { settings, execArgv, code: relaySource(), boot, board, pipes: seats };
    this.#process = new NodeProcess(this.#relay, start, (exit) => this.#exited(exit));
    this.#relay.listen((message) => this.#hear(message as FromRelay));
  }

  /** How many workers the process has, without those that retire: they still have seats, but are about to be replaced. */
  get load(): number {
    return [...this.#members.values()].filter(({ isRetired }) => !isRetired).length;
  }

  get hasSeat(): boolean {
    return this.#members.size < this.#seats;
  }

  start(spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread {
    const port = spec.wire.port as PipePort;
    const board = spec.wire.memory as BoardFile;
    let seat = 0;
    while (this.#members.has(seat)) seat++;
    try {
      this.#relay.post([seat, specOf(seat, spec)] satisfies ToRelay);
    } catch (error) {
      if (this.#members.size === 0) this.#kill(); // without a worker, nothing else would end the process
      throw error; // the data cannot be cloned
    }
    const member: Member = { seat, port, board, tell: onExit, isRetired: false, looks: undefined };
    this.#members.set(seat, member);
    const { toWorker, toMain } = ringsOf(board);
    port.attach(this.#pipeOf(seat), toWorker, toMain);
    const terminate = () => this.#end(member);
    const retires = () => {
      member.isRetired = true;
    };
    return { ...this.#process.threadOf(terminate, () => port.threadId), retires };
  }

  /** Messages go by way of the relay of the process, and come back by the worker’s own pipe. */
  #pipeOf(seat: number): Pipe {
    const fromWorker = this.#process.pipes[seat];
    let listener: (piece: Uint8Array) => void = () => undefined;
    return {
      write: ({ buffer, byteOffset, length }) =>
        this.#relay.post([seat, new Uint8Array(buffer, byteOffset, length)] satisfies ToRelay),
      read: () => fromWorker && readSocket(fromWorker),
      listen: (callback) => {
        listener = callback;
        fromWorker?.on('data', listener);
      },
      close: () => void fromWorker?.off('data', listener),
    };
  }

  #hear([seat, exitCode, outOfMemory, error]: FromRelay): void {
    const exit = { exitCode, outOfMemory, error: error && decodeError(error) };
    const member = this.#members.get(seat)!;
    member.board.isGone = true;
    if (this.#members.size > 1) return this.#gone(member, exit);
    // The exit of the last worker is told when its process is gone.
    this.#lastExit = exit;
    this.#kill();
  }

  #end(member: Member): void {
    if (member.looks !== undefined) return;
    this.#relay.post([member.seat, 'end'] satisfies ToRelay);
    let count = 0;
    member.looks = setInterval(() => {
      if (++count > MOST_LOOKS)
        this.#kill(`process ${this.#process.pid} was killed, as another of its threads could not be ended`);
    }, LOOK_MS).unref();
  }

  #kill(why?: string): void {
    this.#onClosed();
    this.#process.kill(why);
  }

  #exited(exit: ThreadExit): void {
    this.#onClosed();
    const members = [...this.#members.values()];
    // First all boards are closed for posting, so that a task that one of these workers gives back does not go to another of them.
    for (const { board } of members) board.isGone = true;
    for (const member of members) this.#gone(member, this.#lastExit ?? exit);
    this.#relay.close();
  }

  #gone({ seat, port, looks, tell }: Member, exit: ThreadExit): void {
    clearInterval(looks);
    port.drain(); // what the worker said before it ended
    port.threadId = 0;
    port.close();
    this.#members.delete(seat);
    tell({ ...exit, ...port.uncaught });
  }
}

/** The specification of a worker that has a seat, as the relay starts it. */
function specOf(seat: number, spec: ThreadSpec): ThreadSpec {
  const { resourceLimits } = spec.settings; // the thread has all other settings of its process
  const memory: Surroundings = { ...givenTo(spec), toMain: FD.pipes + seat };
  const wire = { ...spec.wire, port: undefined, memory };
  return { ...spec, allowance: undefined, wire, settings: { resourceLimits } };
}
