/** Findings as JSON, for programs: what is asked for most is first. The schema is documented in docs/analyze.md. */
import type { Findings } from '../analysis/findings.js';

/** What there is not (not measured, or it came to no number) is left out; in a series of measurements it is null. */
export function renderJson(findings: Findings): string {
  const { schemaVersion, verdict, breakEven, recommended, gain, knee, noise, ...rest } = findings;
  const { reasons, warnings, limits, amdahl, alternatives, samples, ...others } = rest;
  const first = { schemaVersion, verdict, breakEven, recommended, gain, knee, noise, reasons, warnings };
  const ordered = { ...first, limits, amdahl, alternatives, ...others, samples };
  return `${JSON.stringify(ordered, leaveOut, 2)}\n`;
}

/** In an array, JSON.stringify writes null for what is left out. An estimate is all there, or not there. */
function leaveOut(_key: string, value: unknown): unknown {
  const isFigure = typeof value !== 'number' || Number.isFinite(value);
  return isFigure && !isBrokenEstimate(value) ? value : undefined;
}

function isBrokenEstimate(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('low' in value && 'high' in value)) return false;
  return !Object.values(value).every(Number.isFinite);
}
