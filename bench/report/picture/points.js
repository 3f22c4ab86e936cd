// Figures as the points of a picture: as many times as good as one that they all are held against, round by round.
import { judge } from '../../conclusions/conclusions.js';
import { alongX, goodnessOf } from '../../conclusions/rows.js';

/** @param base { scenario, row } @returns { value, low, high }; undefined: not measured, or in one round */
export function relative(scenario, row, metric, base) {
  const own = goodnessOf(scenario, row, metric);
  if (own.length > 0 && scenario === base.scenario && row === base.row) return { value: 1, low: 1, high: 1 };
  return judge(own, goodnessOf(base.scenario, base.row, metric)).ratio;
}

/** A row along its scenarios. */
export function relativeCurve(scenarios, row, metric, base) {
  return alongX(scenarios).flatMap((scenario) => {
    const ratio = relative(scenario, row, metric, base);
    return ratio === undefined ? [] : [{ x: scenario.x, ...ratio }];
  });
}

/** What was published, where less is better: as many times as good as a figure of it. */
export const timesAsGood = (points, reference) =>
  points.map(([x, value]) => ({ x, value: reference / value }));

/** What one sample of a row holds of the time that it took. @param id of the list @returns [] where there is none */
export function listOf(scenario, row, id) {
  return scenario?.rows.find((one) => one.id === row)?.samples[0]?.[id] ?? [];
}

/** Equal parts of a list, each by its mean: as many as can be seen. */
export function inParts(values, most) {
  const count = Math.min(most, values.length);
  return Array.from({ length: count }, (_, i) => {
    const part = values.slice(
      Math.floor((i * values.length) / count),
      Math.floor(((i + 1) * values.length) / count),
    );
    return part.reduce((sum, value) => sum + value / part.length, 0);
  });
}
