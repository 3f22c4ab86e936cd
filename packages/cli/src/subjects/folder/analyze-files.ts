/** What `threadwise analyze files` does: measures, analyses, and writes what was found. */
import { measureAndReport } from '../../report/measure-and-report.js';
import type { Reporting } from '../subject.js';
import { analyzeFolder } from './analyze-folder.js';
import { type FolderPlan, measureFolder } from './measure.js';
import { folderReport } from './report/report.js';

export function analyzeFiles(plan: Omit<FolderPlan, 'signal'>, reporting: Reporting): Promise<number> {
  const folder = { measure: measureFolder, analyze: analyzeFolder, report: folderReport };
  return measureAndReport(folder, plan, reporting);
}
