/** Findings as JSON, for programs. The schema is documented in docs/analyze-server.md. */
import type { ServerFindings } from '../findings/findings.js';

/** What came to no number is left out; in a series of measurements it is null. */
export function renderJson(findings: ServerFindings): string {
  const isFigure = (value: unknown): boolean => typeof value !== 'number' || Number.isFinite(value);
  return `${JSON.stringify(findings, (_key, value) => (isFigure(value) ? value : undefined), 2)}\n`;
}
