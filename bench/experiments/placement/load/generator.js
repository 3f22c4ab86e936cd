// Loads a server over several connections, each with a question of its own, so that answers that are mixed up are noticed.
import { performance } from 'node:perf_hooks';
import { quantile } from '../../../conclusions/statistics.js';
import { Connection } from './connection.js';

/** @param repetitions how often the server renders its sentence; the expected answer is made here without a template */
export function openConnections({ port, connections, repetitions }) {
  return Promise.all(
    Array.from({ length: connections }, (_, i) => {
      const expected = `Ada will meet guest-${i}.\n`.repeat(repetitions);
      return Connection.open({ port, path: `/?name=Ada&guest=guest-${i}`, expected });
    }),
  );
}

const clock = () => performance.now();

/** Sends requests over all connections for `loadMs`, at least one over each. @param now returns milliseconds since any moment */
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
