/** What `threadwise analyze files` does: measures, analyses, and writes what was found. */
import { measureAndReport } from '../../report/measure-and-report.js';
import type { Reporting } from '../subject.js';
import { type FolderPlan, measureFolder } from './measure/measure.js';
import { folderReport } from './report.js';
import { analyzeFolder, type FolderFindings } from './rules/analyze.js';

export function analyzeFiles(plan: Omit<FolderPlan, 'signal'>, reporting: Reporting): Promise<number> {
  const isCertain = ({ classes }: FolderFindings): boolean =>
    classes.every(({ place, cold }) => place !== 'unknown' && cold?.place !== 'unknown');
  const folder = { measure: measureFolder, analyze: analyzeFolder, isCertain, report: folderReport };
  return measureAndReport(folder, plan, reporting);
}
