// What samples hold over time, as the points of a curve: so that it can be drawn like any other.

/** Points of a picture, at the most: what lies between two of them is averaged. */
const MOST_POINTS = 12;

/**
 * @param metric what the values are
 * @param series [{ row, values }]: of each row its values at equal distances, first to last; what is no number was not seen
 * @param xOf(share) what x is, by how much of the time is over
 * @returns scenarios as summary.js makes them, one for each point in time; none for fewer than two values
 */
export function overTime(metric, series, xOf = (share) => 100 * share) {
  const seen = series
    .map(({ row, values }) => ({ row, values: values.filter((value) => Number.isFinite(value)) }))
    .filter(({ values }) => values.length > 1);
  const count = Math.min(MOST_POINTS, ...seen.map(({ values }) => values.length));
  if (seen.length === 0) return [];
  return Array.from({ length: count }, (_, i) => ({
    id: `${metric.id}-${i}`,
    x: xOf((i + 1) / count),
    metrics: [metric],
    rows: seen.map(({ row, values }) => ({
      id: row,
      samples: [{ [metric.id]: meanOfPart(values, i, count) }],
      figures: { [metric.id]: {} },
    })),
  }));
}

/** Of as many parts as there are points. */
function meanOfPart(values, i, count) {
  const part = values.slice(
    Math.floor((i * values.length) / count),
    Math.floor(((i + 1) * values.length) / count),
  );
  return part.reduce((sum, value) => sum + value / part.length, 0);
}
