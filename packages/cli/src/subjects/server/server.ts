/** What `threadwise analyze server` does: measures, finds, and writes what was found. */
import { measureAndReport } from '../../report/measure-and-report.js';
import { findServer } from './findings/find.js';
import { measureServer } from './measure/measure.js';
import type { ServerOptions } from './options.js';
import { serverReport } from './report/report.js';

export async function analyzeServer({ plan, outputs, read, quiet }: ServerOptions): Promise<number> {
  return measureAndReport({
    outputs,
    read,
    quiet,
    measure: (signal, progress) => measureServer({ ...plan, signal }, progress),
    analyze: findServer,
    report: serverReport,
  });
}
