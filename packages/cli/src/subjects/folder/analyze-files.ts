/** What `threadwise analyze files` does: measures, analyses, and writes what was found. */
import { measureAndReport } from '../../report/measure-and-report.js';
import { analyzeFolder } from './analyze-folder.js';
import { measureFolder } from './measure.js';
import type { FolderOptions } from './options.js';
import { folderReport } from './report/report.js';

export async function analyzeFiles({ outputs, quiet, ...plan }: FolderOptions): Promise<number> {
  const ownFiles = outputs.map(({ file }) => file);
  return measureAndReport({
    outputs,
    read: [], // what is written is left out of what is measured
    quiet,
    measure: (signal, progress) => measureFolder({ ...plan, ownFiles, signal }, progress),
    analyze: analyzeFolder,
    report: folderReport,
  });
}
