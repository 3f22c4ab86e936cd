/** For how many threads there is memory. */
import { estimate } from '../../../experiment/statistics.js';
import type { Samples } from './samples.js';

/** As the library does: docs/sizing.md. A share, and what it reckons for a worker of which nothing is known, bytes. */
const USABLE = 0.75;
const WORKER_BYTES = 64 * 1024 * 1024;

export interface Room {
  readonly threads: number;
  readonly bytesEach: number;
}

export function roomOf({ machine, start }: Samples): Room | undefined {
  const measured = estimate(start?.bytesPerThread ?? [])?.value ?? 0;
  const bytesEach = Math.max(measured, WORKER_BYTES);
  if (machine.memoryBytes <= 0) return undefined;
  return { threads: Math.max(1, Math.floor((USABLE * machine.memoryBytes) / bytesEach)), bytesEach };
}
