/** Workers that share a process, each as a thread of it: main's side. README.md beside this file says how they are told what. */
import type { Thread, ThreadExit, ThreadSpec, TimerHandle } from '../../core/contracts.js';
import { promised } from '../../core/promised.js';
import { decodeError } from '../../transport/codec/error-codec.js';
import { clockZero, timer } from '../node/clock.js';
import { relaySource, threadSource } from '../node/thread-sources.js';
import type { BoardFile } from './board.js';
import { NodeProcess, optionsOf, readSocket } from './node-process.js';
import { FD, type Pipe, PipePort } from './port.js';
import {
  END,
  type FromRelay,
  PASS,
  type RelayBoot,
  START,
  type Surroundings,
  type ToRelay,
} from './relay.js';
import type { Aside } from './run-worker.js';
import { cpuTime, cpuUtilization } from './usage.js';

/** How many workers a process has room for, for each that it is to have: one that retires is still there when the next one starts. */
const SEATS = 2;
/** How long a thread may take to end; one that native code blocks never does. Milliseconds; chosen by hand. */
const END_MS = 5000;

/** How the workers of a pool are divided. */
export interface Division {
  /** Workers of one process. */
  readonly threads: number;
  /** Processes that there are, but for a while when many workers are replaced at once. */
  readonly processes: number;
}

/** The processes of a pool. */
export class SharedProcesses {
  readonly #division: Division;
  /** The oldest first. */
  readonly #open = new Set<SharedProcess>();

  constructor(division: Division) {
    this.#division = division;
  }

  /** Starts a worker: in the oldest process that has too few, or in another one. */
  readonly spawn = (spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread => {
    return (this.#find() ?? this.#start(spec)).start(spec, onExit);
  };

  #find(): SharedProcess | undefined {
    const { threads, processes } = this.#division;
    const found = [...this.#open].filter(({ hasSeat }) => hasSeat);
    const hasTooFew = found.find(({ load }) => load < threads);
    const [least] = this.#open.size < processes ? [] : found.sort((a, b) => a.load - b.load);
    return hasTooFew ?? least;
  }

  #start(spec: ThreadSpec): SharedProcess {
    const started = new SharedProcess(spec, this.#division.threads * SEATS, () => this.#open.delete(started));
    this.#open.add(started);
    return started;
  }
}

/** A worker as its process sees it. */
interface Member {
  readonly seat: number;
  readonly port: PipePort;
  readonly pipe: Pipe;
  readonly board: BoardFile;
  readonly onExit: (exit: ThreadExit) => void;
  /** It was asked to end. */
  isEnding: boolean;
  /** The uncaught error that ended it. */
  error: unknown;
  /** What the system calls its thread; 0 as long as it has not said so. */
  threadId: number;
  deadline: TimerHandle | undefined;
}

class SharedProcess {
  readonly #relay = new PipePort();
  readonly #process: NodeProcess;
  readonly #seats: number;
  readonly #execArgv: readonly string[];
  readonly #members = new Map<number, Member>();
  readonly #onClosed: () => void;

  /** @param onClosed no worker can be started there any more */
  constructor({ settings, poolName, wire }: ThreadSpec, seats: number, onClosed: () => void) {
    this.#seats = seats;
    this.#onClosed = onClosed;
    this.#execArgv = optionsOf(settings);
    const boot: RelayBoot = {
      poolName,
      execArgv: this.#execArgv,
      clockZero: clockZero(),
      source: threadSource,
    };
    const { fd: boardFd } = wire.memory as BoardFile;
    const start = { settings, execArgv: this.#execArgv, code: relaySource, boot, boardFd, pipes: seats };
    this.#process = new NodeProcess(this.#relay, start, (exit) => this.#exited(exit));
    this.#relay.listen((message) => this.#hear(message as FromRelay));
  }

  /** Workers that were not asked to end. */
  get load(): number {
    return [...this.#members.values()].filter(({ isEnding }) => !isEnding).length;
  }

  get hasSeat(): boolean {
    return this.#members.size < this.#seats;
  }

  /** Throws, and starts nothing, when the specification cannot be cloned. */
  start(spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread {
    const { port, memory } = spec.wire;
    let seat = 0;
    while (this.#members.has(seat)) seat++;
    try {
      this.#tell([START, seat, this.#specOf(seat, spec)]);
      const { promise: exited, resolve } = promised();
      const member: Member = {
        seat,
        port: port as PipePort,
        pipe: this.#pipeOf(seat),
        board: memory as BoardFile,
        onExit: (exit) => {
          onExit(exit);
          resolve();
        },
        isEnding: false,
        error: undefined,
        threadId: 0,
        deadline: undefined,
      };
      this.#members.set(seat, member);
      member.port.onAside = (said) => {
        const word = said as Aside;
        if (typeof word === 'number') member.threadId = word;
        else member.error = decodeError(word);
      };
      member.port.attach(member.pipe);
      return this.#threadOf(member, exited);
    } finally {
      this.#endIfUnused();
    }
  }

  #threadOf(member: Member, exited: Promise<void>): Thread {
    const cpu = () => {
      const { pid } = this.#process;
      const isThere = pid !== undefined && this.#members.get(member.seat) === member && member.threadId > 0;
      return isThere ? cpuTime(pid, member.threadId) : undefined;
    };
    return {
      terminate: () => {
        this.#end(member);
        return exited;
      },
      utilization: cpuUtilization(cpu),
      cpu,
      residentBytes: () => this.#process.residentBytes,
    };
  }

  #specOf(seat: number, spec: ThreadSpec): ThreadSpec {
    const { settings, wire } = spec;
    const { data, argv = [], resourceLimits } = settings;
    const memory: Surroundings = {
      board: { ...(wire.memory as BoardFile), fd: FD.board },
      toMain: FD.pipes + seat,
      argv,
      execArgv: this.#execArgv,
    };
    return {
      ...spec,
      allowance: undefined,
      wire: { ...wire, port: undefined, memory },
      // The rest it has of its process.
      settings: { data, resourceLimits, argv, execArgv: undefined, env: undefined },
    };
  }

  /** By way of the relay there, and of its own pipe back. */
  #pipeOf(seat: number): Pipe {
    const fromWorker = this.#process.pipes[seat];
    let listener: (piece: Buffer) => void = () => undefined;
    return {
      write: (bytes) => this.#tell([PASS, seat, bytes]),
      read: () => fromWorker && readSocket(fromWorker),
      listen: (callback) => {
        listener = callback;
        fromWorker?.on('data', listener);
      },
      close: () => void fromWorker?.off('data', listener),
    };
  }

  #tell(message: ToRelay): void {
    this.#relay.post(message);
  }

  #hear([seat, exitCode, outOfMemory, error]: FromRelay): void {
    const member = this.#members.get(seat)!;
    this.#gone(member, { exitCode, outOfMemory, error: error && decodeError(error) });
    this.#endIfUnused();
  }

  #end(member: Member): void {
    if (member.isEnding) return;
    member.isEnding = true;
    if (this.#endIfUnused()) return;
    this.#tell([END, member.seat]);
    member.deadline = timer(END_MS, () =>
      this.#kill(`process ${this.#process.pid} was killed, as another of its threads could not be ended`),
    );
  }

  /** With the last of its workers. */
  #endIfUnused(): boolean {
    const isUnused = this.load === 0;
    if (isUnused) this.#kill();
    return isUnused;
  }

  #kill(why?: string): void {
    this.#onClosed();
    this.#process.kill(why);
  }

  #exited(exit: ThreadExit): void {
    this.#onClosed();
    const members = [...this.#members.values()];
    // Before any is told of, so that what one of them gives back does not go to another.
    for (const { board } of members) board.isGone = true;
    for (const member of members) this.#gone(member, exit);
    this.#relay.close();
  }

  #gone(member: Member, exit: ThreadExit): void {
    const { seat, port, pipe, onExit } = member;
    member.isEnding = true;
    member.deadline?.cancel();
    port.drain(); // what it said before it ended
    onExit({ ...exit, error: member.error ?? exit.error });
    pipe.close();
    this.#members.delete(seat);
  }
}
