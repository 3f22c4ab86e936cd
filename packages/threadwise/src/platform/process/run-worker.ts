/** Starts a worker's runner on its pipe, whether the worker has a process of its own or is a thread of one. */
import type { ThreadSpec } from '../../core/contracts.js';
import { Runner } from '../../runner/runner.js';
import { encodeError } from '../../transport/codec/error-codec.js';
import { Line } from '../../transport/line.js';
import { MessageEndpoint } from '../../transport/message/endpoint.js';
import { type ModulePlace, runnerPlatform } from '../node/boot.js';
import { followClock, now } from '../node/clock.js';
import { type BoardFile, FileBoardEnd, ringsOf } from './board.js';
import { cloneByBytes } from './clone.js';
import { type Pipe, PipePort } from './port.js';

/** What a worker is started with. */
export interface WorkerPlace extends Omit<ThreadSpec, 'allowance' | 'wire' | 'settings'> {
  readonly data: unknown;
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly board: BoardFile;
  /** The clock zero of the process that started this one. */
  readonly clockZero: number;
}

export function runWorker(place: WorkerPlace & ModulePlace, pipe: Pipe): PipePort {
  followClock(place.clockZero);
  process.argv = [process.execPath, '[worker eval]', ...place.argv];
  process.execArgv = [...place.execArgv];
  const platform = runnerPlatform(place, cloneByBytes);

  const port = new PipePort();
  const { toMain, toWorker } = ringsOf(place.board);
  port.attach(pipe, toMain, toWorker);
  process.on('uncaughtExceptionMonitor', (error: unknown) => {
    // If a listener of the user's, or a domain, handles the error, the worker lives on.
    if (process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback())
      return;
    port.postAside(encodeError(error, cloneByBytes));
    process.exit(1); // main reports the error, so it need not be printed here
  });
  const endpoint = new MessageEndpoint(new Line(port), new FileBoardEnd(place.board), now);
  void new Runner({ ...place, endpoint }, platform).start();
  return port;
}
