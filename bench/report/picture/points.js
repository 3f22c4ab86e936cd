// Figures as points of a picture: as multiples of a base, round by round.
import { judge } from '../../conclusions/conclusions.js';
import { alongX, firstSampleOf, goodnessOf } from '../../conclusions/rows.js';

/** @param base { scenario, row } @returns { value, low, high }; undefined if it was not measured, or in one round only */
export function relative(scenario, row, metric, base) {
  const own = goodnessOf(scenario, row, metric);
  if (own.length > 0 && scenario === base.scenario && row === base.row) return { value: 1, low: 1, high: 1 };
  return judge(own, goodnessOf(base.scenario, base.row, metric)).ratio;
}

/** The points of a row over all scenarios that have an x. */
export function relativeCurve(scenarios, row, metric, base) {
  return alongX(scenarios).flatMap((scenario) => {
    const ratio = relative(scenario, row, metric, base);
    return ratio === undefined ? [] : [{ x: scenario.x, ...ratio }];
  });
}

/** The points of a row over scenarios, as multiples of another row of the same scenario. */
export const pointsBeside = (scenarios, row, metric, other) =>
  scenarios.map((scenario) => ({
    x: scenario.x,
    ...relative(scenario, row, metric, { scenario, row: other }),
  }));

/** The entries of a legend. @param curves [[kind, row, name], …] */
export const legendOf = (curves) => curves.map(([kind, , name]) => [kind, name]);

/** The curves of a panel. @param curves [[kind, row], …] */
export const seriesBy = (curves, pointsOf) => curves.map(([kind, row]) => ({ kind, points: pointsOf(row) }));

/** A panel by threads, as multiples of a row with one thread. @param there the published curves */
export function panelByThreads({ title, y, scenarios, metric, base, there, curves }) {
  const pointsHere = (row) => relativeCurve(scenarios, row, metric, base);
  return { title, x: { label: 'threads' }, y, series: [...there, ...seriesBy(curves, pointsHere)] };
}

/** A picture of one panel: how many times as good ours is as others. @param compared [{ label, scenario, row, metric, other }] */
export const pictureBeside = ({ title, ours = 'threadwise', others, panel, x, compared }) => ({
  title,
  legend: [['ours', `${ours}, to ${others}: right of 1 is better`]],
  panels: [
    {
      title: panel,
      x,
      rows: compared.map(({ label, scenario, row, metric, other }) => ({
        label,
        marks: [{ kind: 'ours', ...relative(scenario, row, metric, { scenario, row: other }) }],
      })),
    },
  ],
});

/** Published points of which less is better, as multiples of a reference. */
export const timesAsGood = (points, reference) =>
  points.map(([x, value]) => ({ x, value: reference / value }));

/** A list over time from the first sample of a row. @param id of the list @returns [] if there is none */
export const listOf = (scenario, row, id) => firstSampleOf(scenario, row)?.[id] ?? [];

/** The points of a list over time: at most `most`, the means of equal parts; x is in per cent of the time. */
export const overTime = (values, most) =>
  inParts(values, most).map((value, i, all) => ({ x: (100 * (i + 1)) / all.length, value }));

/** Cuts a list into at most `most` equal parts, and returns the mean of each. */
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
