// Loads a server over several connections, each with a question of its own, so that answers that are mixed up are noticed.
import { quantile } from '../../../conclusions/statistics.js';
import { Connection } from '../../../fixtures/connection.js';
import { askAll } from '../../../fixtures/users.js';

/** @param repetitions how often the server renders its sentence; the expected answer is made here without a template */
export function openConnections({ port, connections, repetitions }) {
  return Promise.all(
    Array.from({ length: connections }, (_, i) => {
      const expected = `Ada will meet guest-${i}.\n`.repeat(repetitions);
      return Connection.open({ port, path: `/?name=Ada&guest=guest-${i}`, expected });
    }),
  );
}

/** Sends requests over all connections for `loadMs`, at least one over each. @param now as in `askAll` */
export async function load(connections, loadMs, now) {
  const { latencies, elapsedMs } = await askAll(connections, (_answers, spentMs) => spentMs >= loadMs, now);
  return { requests: latencies.length, elapsedMs, latencyP99Ms: quantile(latencies, 0.99) };
}
