/** What all `.json` reports have in common. */

/** As JSON, with what came to no number left out; in an array, JSON.stringify writes null for that, which keeps its place. */
export function jsonText(findings: object): string {
  return `${JSON.stringify(findings, leaveOut, 2)}\n`;
}

/** An estimate is all there, or not there. */
function leaveOut(_key: string, value: unknown): unknown {
  const isFigure = typeof value !== 'number' || Number.isFinite(value);
  return isFigure && !isBrokenEstimate(value) ? value : undefined;
}

function isBrokenEstimate(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('low' in value && 'high' in value)) return false;
  return !Object.values(value).every(Number.isFinite);
}
