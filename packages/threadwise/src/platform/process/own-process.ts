/** A worker in a process of its own: main's side. */
import type { Thread, ThreadExit, ThreadSpec, WorkerSettings } from '../../core/contracts.js';
import { decodeError, type EncodedError } from '../../transport/codec/error-codec.js';
import { clockZero } from '../node/clock.js';
import { processSource } from '../node/thread-sources.js';
import { type BoardFile, ringsOf } from './board.js';
import { NodeProcess, optionsOf } from './node-process.js';
import { FD, type PipePort } from './port.js';
import type { WorkerBoot } from './worker-entry.js';

export function spawnProcess(spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread {
  const { settings, wire, allowance: _, ...place } = spec;
  const port = wire.port as PipePort;
  const board = wire.memory as BoardFile;
  const { data, argv = [] } = settings;
  const execArgv = optionsOf(settings);
  const boot: WorkerBoot = {
    ...place,
    ...{ data, argv, execArgv },
    board: { ...board, fd: FD.board },
    parentId: process.pid,
    clockZero: clockZero(),
  };
  let error: unknown;
  port.onAside = (word) => {
    error = decodeError(word as EncodedError);
  };
  const start = {
    settings,
    execArgv: [...execArgv, ...limits(settings)],
    code: processSource,
    boot,
    boardFd: board.fd,
    rings: ringsOf(board),
    pipes: 0,
  };
  const child = new NodeProcess(port, start, (exit) => onExit({ ...exit, error: error ?? exit.error }));
  return child.threadOf({ end: () => child.kill(), exited: child.exited, threadId: () => child.pid ?? 0 });
}

function limits({ resourceLimits = {} }: WorkerSettings): string[] {
  const { maxOldGenerationSizeMb: old, maxYoungGenerationSizeMb: young } = resourceLimits;
  return [
    ...(old === undefined ? [] : [`--max-old-space-size=${Math.ceil(old)}`]),
    // The young generation is three semi-spaces.
    ...(young === undefined ? [] : [`--max-semi-space-size=${Math.ceil(young / 3)}`]),
  ];
}
