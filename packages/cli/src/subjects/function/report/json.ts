/** Findings as JSON, for programs: what is asked for most is first. The schema is documented in docs/analyze.md. */
import type { Findings } from '../rules/findings.js';
import { jsonText } from '../../../report/json.js';

/** What there is not (not measured, or it came to no number) is left out; in a series of measurements it is null. */
export function renderJson(findings: Findings): string {
  const { schemaVersion, verdict, breakEven, recommended, gain, knee, noise, ...rest } = findings;
  const { reasons, warnings, limits, amdahl, alternatives, samples, ...others } = rest;
  const first = { schemaVersion, verdict, breakEven, recommended, gain, knee, noise, reasons, warnings };
  const ordered = { ...first, limits, amdahl, alternatives, ...others, samples };
  return jsonText(ordered);
}
