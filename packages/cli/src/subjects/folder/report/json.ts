/** The findings of a folder as JSON, for programs: what is asked for most is first. The schema is documented in docs/files.md. */
import { jsonText } from '../../../report/json.js';
import type { FolderFindings } from '../findings.js';

/** What there is not is left out; in a series of measurements it is null, because the same places of two series belong together. */
export function renderFolderJson(findings: FolderFindings): string {
  const { schemaVersion, verdict, classes, reasons, warnings, samples } = findings;
  return jsonText({ schemaVersion, verdict, classes, reasons, warnings, samples });
}
