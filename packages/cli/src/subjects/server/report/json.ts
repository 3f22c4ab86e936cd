/** Findings as JSON, for programs. The schema is documented in docs/analyze-server.md. */
import { jsonText } from '../../../report/json.js';
import type { ServerFindings } from '../findings/findings.js';

export function renderJson(findings: ServerFindings): string {
  return jsonText(findings);
}
