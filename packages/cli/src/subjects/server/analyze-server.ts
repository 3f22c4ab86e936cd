/** What `threadwise analyze server` does: measures, finds, and writes what was found. */
import { measureAndReport } from '../../report/measure-and-report.js';
import type { Reporting } from '../subject.js';
import { measureServer, type ServerPlan } from './measure/measure.js';
import { serverReport } from './report.js';
import { findServer } from './rules/find.js';

export function analyzeServer(plan: Omit<ServerPlan, 'signal'>, reporting: Reporting): Promise<number> {
  return measureAndReport(
    { measure: measureServer, analyze: findServer, report: serverReport },
    plan,
    reporting,
  );
}
