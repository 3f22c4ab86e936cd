/** What the server uses of `sample.js`. */
export const COLUMNS: readonly string[];
export const MOST_CLOSED: number;
export function rowOf(stats: object, at: number, mostWorkers?: number): readonly unknown[];
