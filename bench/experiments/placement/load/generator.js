// Loads a server over several connections, each with a question of its own: answers that are mixed up are seen.
import { performance } from 'node:perf_hooks';
import { quantile } from '../../../conclusions/statistics.js';
import { Connection } from './connection.js';

/** @param repetitions of the sentence that the server renders: what the answer must be is known here without it */
export function openConnections({ port, connections, repetitions }) {
  return Promise.all(
    Array.from({ length: connections }, (_, i) => {
      const expected = `Ada will meet guest-${i}.\n`.repeat(repetitions);
      return Connection.open({ port, path: `/?name=Ada&guest=guest-${i}`, expected });
    }),
  );
}

const clock = () => performance.now();

/** Asks over all connections for `loadMs`, at least once over each. @param now milliseconds, from whenever */
export async function load(connections, loadMs, now = clock) {
  const latencies = [];
  const start = now();
  const ask = async (connection) => {
    do latencies.push(await connection.request());
    while (now() - start < loadMs);
  };
  await Promise.all(connections.map(ask));
  const elapsedMs = now() - start;
  latencies.sort((a, b) => a - b);
  return { requests: latencies.length, elapsedMs, latencyP99Ms: quantile(latencies, 0.99) };
}
