/** Main's side of workers that share a process, each as a thread of it. README.md beside this file has the protocol. */
import type { Platform, Thread, ThreadExit, ThreadSpec } from '../../core/contracts.js';
import type { ResolvedOptions } from '../../core/options/options.js';
import { decodeError } from '../../transport/codec/error-codec.js';
import { clearInterval, clockZero, setInterval } from '../node/clock.js';
import { processSource, relaySource } from '../node/threads/thread-sources.js';
import { type BoardFile, ringsOf } from './board.js';
import { optionsOf, pipeFrom, specFor, startProcess, threadIn } from './node-process.js';
import { FD, type Pipe, type PipePort, pipePort } from './port.js';
import type { FromRelay, RelayBoot, ToRelay } from './relay-entry.js';

/** Seats of a process for each worker that it is to have: a worker that retires still has its seat when the next one starts. */
const SEATS = 2;
/**
 * How many milliseconds pass between two looks at a thread that was told to end, and after how many its process is killed: native code may block
 * the thread. Looks are counted, and no time is taken, because main hears nothing while it is itself blocked or stopped. Chosen by hand.
 */
const LOOK_MS = 500;
const MOST_LOOKS = 10;

/** Returns `spawn`: a worker starts in the oldest process that has too few workers, else in a new process or, if there are enough, the least loaded. */
export function spawnShared({ threads, processes }: ResolvedOptions['division']): Platform['spawn'] {
  /** Processes that can take workers, the oldest first. There may be more than `processes` while many workers are replaced at once. */
  const open = new Set<SharedProcess>();
  return (spec, onExit) => {
    const free = [...open].filter(({ hasSeat }) => hasSeat());
    const hasTooFew = free.find(({ load }) => load() < threads);
    const [least] = open.size < processes ? [] : free.sort((a, b) => a.load() - b.load());
    const start = () => startShared(spec, threads * SEATS, () => open.delete(process));
    const process: SharedProcess = hasTooFew ?? least ?? start();
    open.add(process);
    return process.start(spec, onExit);
  };
}

type SharedProcess = ReturnType<typeof startShared>;

/** @param onClosed called when no more workers can be started in the process */
function startShared({ settings, poolName, wire }: ThreadSpec, seats: number, onClosed: () => void) {
  const relay = pipePort();
  /** The workers of the process, by their seats. `isRetired`: the worker begins no more tasks. */
  const members = new Map<
    number,
    { readonly board: BoardFile; isRetired: boolean; readonly ended: (exit: ThreadExit) => void }
  >();
  /** How the last worker ended, after which the process was killed. */
  let lastExit: ThreadExit | undefined;

  const execArgv = optionsOf(settings);
  const boot: RelayBoot = { poolName, execArgv, clockZero: clockZero(), source: processSource() };
  const board: BoardFile = { ...(wire.memory as BoardFile), hasRings: false }; // the relay has none
  const start = { settings, execArgv, code: relaySource(), boot, board, pipes: seats };
  const child = startProcess(relay, start, (exit) => {
    onClosed();
    // First all boards are closed for posting, so that a task that one of these workers gives back does not go to another of them.
    for (const { board } of members.values()) board.isGone = true;
    for (const { ended } of members.values()) ended(lastExit ?? exit);
    relay.close();
  });
  const kill = (why?: string) => {
    onClosed();
    child.kill(why);
  };
  const say = (...message: ToRelay) => relay.post(message);
  relay.listen((message) => {
    const [seat, exit, error] = message as FromRelay;
    const told = { ...exit, error: error && decodeError(error) };
    const { board, ended } = members.get(seat)!;
    board.isGone = true;
    if (members.size > 1) return ended(told);
    // The exit of the last worker is told when its process is gone.
    lastExit = told;
    kill();
  });

  return {
    /** How many workers the process has, without those that retire: they still have seats, but are about to be replaced. */
    load: () => [...members.values()].filter(({ isRetired }) => !isRetired).length,
    hasSeat: () => members.size < seats,
    start(spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread {
      const port = spec.wire.port as PipePort;
      const board = spec.wire.memory as BoardFile;
      let seat = 0;
      while (members.has(seat)) seat++;
      try {
        say(seat, specFor(spec, FD.pipes + seat));
      } catch (error) {
        if (members.size === 0) kill(); // without a worker, nothing else would end the process
        throw error; // the data cannot be cloned
      }
      // Messages go by way of the relay, and come back by the worker's own pipe.
      const write: Pipe['write'] = ({ buffer, byteOffset, length }) =>
        say(seat, new Uint8Array(buffer, byteOffset, length));
      port.attach(pipeFrom(child.pipes[seat], write), ...ringsOf(board));
      /** Counts looks at the worker, once it was told to end. */
      let looks: NodeJS.Timeout | undefined;
      const terminate = () => {
        if (looks !== undefined) return;
        say(seat, 'end');
        let count = 0;
        looks = setInterval(() => {
          if (++count > MOST_LOOKS)
            kill(`process ${child.pid} was killed, as another of its threads could not be ended`);
        }, LOOK_MS).unref();
      };
      const ended = (exit: ThreadExit) => {
        clearInterval(looks);
        port.drain(); // what the worker said before it ended
        port.threadId = 0;
        port.close();
        members.delete(seat);
        onExit({ ...exit, ...port.uncaught });
      };
      const member = { board, isRetired: false, ended };
      members.set(seat, member);
      const retires = () => void Object.assign(member, { isRetired: true });
      return { ...threadIn(child.pid, terminate, () => port.threadId), retires };
    },
  };
}
