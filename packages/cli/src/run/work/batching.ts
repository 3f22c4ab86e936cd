/** Decides how many inputs go into a batch and how many batches are out at once, from measured run times. */

import type { BatchOutcome } from './batch.js';

/** A batch should take about this long: crossing costs tens of microseconds, so it is then below one per cent. */
const TARGET_BATCH_MS = 5;
/** Beyond this a batch only costs memory: 256 times a saved crossing is what there is to win. */
const MAX_BATCH = 256;
/** A batch grows by at most this at a time: the first inputs may be much cheaper than the next. */
const MAX_GROWTH = 4;
/** Weight of the newest batch in the running mean; small enough to ride out single odd inputs. */
const NEWEST = 0.3;

export interface Batching {
  /** Inputs in the next batch. */
  size(): number;
  /** Batches that may be with the pool at once. */
  depth(): number;
  /** Learns from a batch that ran. */
  note(outcome: Pick<BatchOutcome, 'ran' | 'runMs'>): void;
}

export function createBatching(batch: number | 'auto', threads: number): Batching {
  let meanMs: number | undefined;
  let size = batch === 'auto' ? 1 : batch;
  return {
    size: () => size,
    depth: () => threads * depthPerThread(meanMs === undefined ? undefined : meanMs * size),
    note({ ran, runMs }) {
      if (ran === 0) return;
      const itemMs = runMs / ran;
      meanMs = meanMs === undefined ? itemMs : meanMs + NEWEST * (itemMs - meanMs);
      if (batch === 'auto') size = nextSize(size, meanMs);
    },
  };
}

function nextSize(size: number, itemMs: number): number {
  const wanted = Math.floor(TARGET_BATCH_MS / Math.max(itemMs, TARGET_BATCH_MS / MAX_BATCH));
  return Math.max(1, Math.min(wanted, size * MAX_GROWTH, MAX_BATCH));
}

/**
 * Short batches: a stock per thread that hides the way there and back. Long ones: none, because waiting for the next
 * is lost in their run time, and whatever is out must be finished after Ctrl-C.
 */
function depthPerThread(batchMs: number | undefined): number {
  if (batchMs === undefined) return 2;
  if (batchMs < TARGET_BATCH_MS * 2) return 8;
  return batchMs < 100 ? 2 : 1;
}
