/**
 * A log-linear histogram of durations: fixed memory, quantiles with a relative error of at most 1/16 (as in
 * G. Tene's HdrHistogram, with 8 sub-buckets to each power of two).
 */
import type { Distribution } from '../core/contracts.js';

const SUB_BUCKETS = 8;
/** The smallest power of two of milliseconds that is told apart: 2^-14 ms, about 60 ns. */
const MIN_EXPONENT = -14;
/** The largest: 2^26 ms, about 18 hours. */
const MAX_EXPONENT = 26;
const BUCKETS = (MAX_EXPONENT - MIN_EXPONENT) * SUB_BUCKETS;

export class Histogram {
  readonly #counts = new Float64Array(BUCKETS);
  #count = 0;
  #sum = 0;
  #max = 0;

  record(ms: number): void {
    this.#counts[bucketOf(ms)]!++;
    this.#count++;
    this.#sum += ms;
    if (ms > this.#max) this.#max = ms;
  }

  snapshot(): Distribution {
    return {
      count: this.#count,
      mean: this.#count === 0 ? 0 : this.#sum / this.#count,
      p50: this.#quantile(0.5),
      p90: this.#quantile(0.9),
      p99: this.#quantile(0.99),
      max: this.#max,
    };
  }

  /** The middle of the bucket in which the quantile lies, never above the largest value seen. */
  #quantile(q: number): number {
    const rank = Math.ceil(this.#count * q);
    for (let i = 0, seen = 0; i < BUCKETS && rank > 0; i++) {
      seen += this.#counts[i]!;
      if (seen >= rank) return Math.min(this.#max, middleOf(i));
    }
    return 0;
  }
}

function bucketOf(ms: number): number {
  if (!(ms > 2 ** MIN_EXPONENT)) return 0;
  const exponent = Math.floor(Math.log2(ms));
  const fraction = ms / 2 ** exponent - 1;
  const bucket = (exponent - MIN_EXPONENT) * SUB_BUCKETS + Math.floor(fraction * SUB_BUCKETS);
  return Math.min(BUCKETS - 1, bucket);
}

function middleOf(bucket: number): number {
  const exponent = Math.floor(bucket / SUB_BUCKETS) + MIN_EXPONENT;
  return 2 ** exponent * (1 + ((bucket % SUB_BUCKETS) + 0.5) / SUB_BUCKETS);
}
