// Rows of a summary as series of rounds: what the analysis works with.

/** What a row gave in each round, in order; empty where it was not measured, or not in this scenario. */
export function seriesOf(scenario, rowId, metricId) {
  const row = scenario?.rows.find(({ id }) => id === rowId);
  // What is no number is null in a file, and null would count as nothing.
  return row?.figures[metricId] === undefined ? [] : row.samples.map((values) => values[metricId] ?? NaN);
}

/** undefined: the scenario, or its metric, is not there. */
export function metricOf(scenario, metricId) {
  return scenario?.metrics.find(({ id }) => id === metricId);
}

/** More is better, whatever the metric: what takes half the time is twice as good. */
export function goodnessOf(scenario, rowId, metricId) {
  const { better } = metricOf(scenario, metricId) ?? {};
  const series = seriesOf(scenario, rowId, metricId);
  return better === 'lower' ? series.map((value) => 1 / value) : series;
}

/** The scenarios that have an x, in its order. @param curve which, where there are several; without, all of them */
export function alongX(scenarios, curve) {
  return scenarios
    .filter((scenario) => Number.isFinite(scenario.x) && (curve === undefined || scenario.curve === curve))
    .toSorted((a, b) => a.x - b.x);
}

/** The places of a curve at which a row was measured. */
export function pointsOf(scenarios, rowId, metricId) {
  return alongX(scenarios).flatMap((scenario) => {
    const series = seriesOf(scenario, rowId, metricId);
    const isMeasured = series.some(Number.isFinite);
    return isMeasured ? [{ x: scenario.x, scenario, series }] : [];
  });
}

/** What has no threads is measured once for a curve: the same row stands at each of its places, for what compares there. */
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
