// The rows of a summary as series of rounds, which the analysis takes.

/** The values of a row in all rounds, in order; empty if it was not measured, or is not in this scenario. */
export function seriesOf(scenario, rowId, metricId) {
  const row = scenario?.rows.find(({ id }) => id === rowId);
  // A file has null for a value that is not a number, and null would count as zero.
  return row?.figures[metricId] === undefined ? [] : row.samples.map((values) => values[metricId] ?? NaN);
}

/** What the first sample of a row gave besides figures, such as lists over time; undefined if the row failed, or is not in this scenario. */
export function firstSampleOf(scenario, rowId) {
  const row = scenario?.rows.find(({ id }) => id === rowId);
  return (row?.failure ?? row?.notAvailable) === undefined ? row?.samples[0] : undefined;
}

/** undefined if there is no such scenario, or it has no such metric. */
export function metricOf(scenario, metricId) {
  return scenario?.metrics.find(({ id }) => id === metricId);
}

/** The series of a metric turned so that more is better: half the time is twice as good. */
export function goodnessOf(scenario, rowId, metricId) {
  const { better } = metricOf(scenario, metricId) ?? {};
  const series = seriesOf(scenario, rowId, metricId);
  return better === 'lower' ? series.map((value) => 1 / value) : series;
}

/** The scenarios that have an x, in order of x. @param curve of which curve; default: all */
export function alongX(scenarios, curve) {
  return scenarios
    .filter((scenario) => Number.isFinite(scenario.x) && (curve === undefined || scenario.curve === curve))
    .toSorted((a, b) => a.x - b.x);
}

/** The points of a curve at which a row was measured. */
export function pointsOf(scenarios, rowId, metricId) {
  return alongX(scenarios).flatMap((scenario) => {
    const series = seriesOf(scenario, rowId, metricId);
    const isMeasured = series.some(Number.isFinite);
    return isMeasured ? [{ x: scenario.x, scenario, series }] : [];
  });
}

/** Copies the inline row to every point of its curve: it has no threads, so it is measured once per curve. */
export function withInline(scenarios) {
  const inlineOf = ({ curve }) => {
    const places = alongX(scenarios).filter((scenario) => scenario.curve === curve);
    return places.flatMap(({ rows }) => rows.filter(({ role }) => role === 'inline'))[0];
  };
  return scenarios.map((scenario) => {
    const inline = scenario.x === undefined ? undefined : inlineOf(scenario);
    const isThere = inline === undefined || scenario.rows.some(({ id }) => id === inline.id);
    return isThere ? scenario : { ...scenario, rows: [...scenario.rows, inline] };
  });
}
