/** `threadwise serve`: makes this machine one of a fleet, until a signal ends it. */
import { counted } from '../format/figures.js';
import { ExitCode, UsageError } from '../exit-code.js';
import { Interrupts } from '../interrupts.js';
import { hasCode } from '../system-error.js';
import type { Threads } from '../run/option-values.js';
import { findModule, loadError } from '../run/work/task-module.js';
import type { FleetAddress } from './address.js';
import { loadFleetPackage } from './package.js';

/** The options, as the argument parser gives them. */
export interface ServeOptions {
  readonly queue: FleetAddress;
  /** Undefined: the library's default. */
  readonly threads?: Threads;
  /** The name of the machine in statistics; undefined: host and process. */
  readonly name?: string;
  /** How many milliseconds the machine may be silent before its jobs are given to others. */
  readonly lock: number;
  /** How many milliseconds tasks may run on after a signal. */
  readonly grace: number;
  readonly quiet?: boolean;
}

/** @param module as the user named it */
export async function serveQueue(module: string, options: ServeOptions): Promise<number> {
  const { queue, threads, name, lock: lockMs, grace: graceMs, quiet = false } = options;
  const { url, exportName } = findModule(module);
  if (exportName !== undefined)
    throw new UsageError(`'serve' takes jobs for every function of the module; leave out '#${exportName}'`);
  const { serve } = await loadFleetPackage();
  const say = (line: string): void => void (quiet || process.stderr.write(`${line}\n`));
  const service = serve(new URL(url), {
    queue: queue.queue,
    connection: queue.connection,
    pool: { ...(threads !== undefined && { threads }) },
    ...(name !== undefined && { name }),
    lockMs,
    stalledCheckMs: lockMs / 2,
    closeTimeoutMs: graceMs,
    signals: [],
    // The error of a module that does not load is reported below, with a hint.
    onError: (error) =>
      void (hasCode(error, ['ERR_MODULE_LOAD']) || process.stderr.write(`threadwise: ${error.message}\n`)),
  });
  const closed = new Promise<void>((resolve) => void service.pool.on('pool:close', () => resolve()));
  const interrupts: Interrupts = new Interrupts({
    first: () => {
      const { active } = service.stats();
      const rest = `${counted(active, 'job')} ${active === 1 ? 'runs' : 'run'}; jobs that have not ended in ${graceMs / 1000} s are given back`;
      say(`stopping: ${active === 0 ? 'no job runs' : rest}; Ctrl-C again stops at once`);
      void service.close();
    },
    second: () => process.exit(interrupts.exitCode),
  });
  try {
    await Promise.race([service.ready, closed]);
    if (interrupts.exitCode === undefined) {
      const { name: machine, threads: now } = service.stats();
      say(`'${machine}' takes jobs from ${queue.shown}, with ${counted(now, 'thread')}; Ctrl-C stops it`);
    }
    await closed;
  } catch (error) {
    // A signal that comes while the module loads ends the loading with an error, too.
    if (interrupts.exitCode === undefined) {
      if (hasCode(error, ['ERR_MODULE_LOAD'])) throw loadError(module, url, error);
      return ExitCode.unreachable; // `onError` has said why
    }
  } finally {
    await service.close();
    interrupts.remove();
  }
  const { completed, failed, returned } = service.stats();
  say(`stopped: ${counted(completed, 'job')} done, ${failed} failed, ${returned} given back`);
  if (interrupts.exitCode !== undefined) return interrupts.exitCode;
  process.stderr.write(`threadwise: '${module}' cannot be loaded any more: no worker is left\n`);
  return ExitCode.failed;
}
