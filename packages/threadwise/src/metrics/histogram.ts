/**
 * A log-linear histogram of durations: fixed memory, quantiles with a relative error of at most 1/16 (as in
 * G. Tene's HdrHistogram, with 8 sub-buckets to each power of two).
 */

/** Durations of calls. */
export interface Distribution {
  /** How many were measured. Calls. */
  readonly count: number;
  /** Their mean. Milliseconds. */
  readonly mean: number;
  /** Half of them are no longer than this, within 1/16. Milliseconds. */
  readonly p50: number;
  /** 90 % of them are no longer than this, within 1/16. Milliseconds. */
  readonly p90: number;
  /** 99 % of them are no longer than this, within 1/16. Milliseconds. */
  readonly p99: number;
  /** The longest. Milliseconds. */
  readonly max: number;
}

/** One step of a cumulative histogram. */
export interface Bucket {
  /** The upper bound of the bucket. Milliseconds. */
  readonly belowMs: number;
  /** How many durations were shorter than that, those of all lower buckets among them. Calls. */
  readonly count: number;
}

const SUB_BUCKETS = 8;
/** The smallest power of two of milliseconds that is told apart: 2^-14 ms, about 60 ns. */
const MIN_EXPONENT = -14;
/** The largest: 2^26 ms, about 18 hours. */
const MAX_EXPONENT = 26;
/** Exponents of the bounds of the cumulative histogram: powers of two, from 16 us to 66 s. Chosen for calls of tasks. */
const CUMULATIVE = { from: -6, to: 16 };
const BUCKETS = (MAX_EXPONENT - MIN_EXPONENT) * SUB_BUCKETS;

const double = new Float64Array(1);
const halves = new Int32Array(double.buffer);
/** The index of the half of a double that has sign and exponent, on this machine. */
const HIGH = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0;
/** Exponent and the three bits behind it, of the smallest value that has a bucket of its own. */
const FIRST_BUCKET = (1023 + MIN_EXPONENT) * SUB_BUCKETS;

export class Histogram {
  readonly #counts = new Float64Array(BUCKETS);
  #sum = 0;
  #max = 0;

  record(ms: number, times = 1): void {
    // The bits of a double hold the power of two and, next to it, the sub-bucket: reading them is ten times as fast as a logarithm.
    let bucket = 0;
    if (ms > 2 ** MIN_EXPONENT) {
      double[0] = ms;
      bucket = Math.min(BUCKETS - 1, (halves[HIGH]! >>> 17) - FIRST_BUCKET);
    }
    this.#counts[bucket]! += times;
    this.#sum += ms * times;
    if (ms > this.#max) this.#max = ms;
  }

  /** Adds everything that another histogram has recorded. */
  add(other: Histogram): void {
    for (let i = 0; i < BUCKETS; i++) this.#counts[i]! += other.#counts[i]!;
    this.#sum += other.#sum;
    this.#max = Math.max(this.#max, other.#max);
  }

  /** What was recorded since `before`, an earlier copy of this histogram. Its maximum is known within 1/16. */
  since(before: Histogram): Histogram {
    const recent = new Histogram();
    for (let i = 0; i < BUCKETS; i++) {
      const count = this.#counts[i]! - before.#counts[i]!;
      recent.#counts[i] = count;
      if (count > 0) recent.#max = Math.min(this.#max, middleOf(i));
    }
    recent.#sum = Math.max(0, this.#sum - before.#sum);
    return recent;
  }

  snapshot(): Distribution {
    const count = this.#counts.reduce((sum, each) => sum + each, 0);
    return {
      count,
      mean: this.#sum / Math.max(1, count),
      p50: this.#quantile(0.5, count),
      p90: this.#quantile(0.9, count),
      p99: this.#quantile(0.99, count),
      max: this.#max,
    };
  }

  /** The cumulative histogram: the same bounds whatever was recorded, and counts that never fall, as Prometheus wants them. */
  cumulative(): Bucket[] {
    const buckets: Bucket[] = [];
    for (let exponent = CUMULATIVE.from, i = 0, count = 0; exponent <= CUMULATIVE.to; exponent++) {
      for (; i < (exponent - MIN_EXPONENT) * SUB_BUCKETS; i++) count += this.#counts[i]!;
      buckets.push({ belowMs: 2 ** exponent, count });
    }
    return buckets;
  }

  /** The middle of the bucket in which the quantile lies, never above the largest value seen. */
  #quantile(q: number, count: number): number {
    const rank = Math.ceil(count * q);
    for (let i = 0, seen = 0; i < BUCKETS && rank > 0; i++) {
      seen += this.#counts[i]!;
      if (seen >= rank) return Math.min(this.#max, middleOf(i));
    }
    return 0;
  }
}

function middleOf(bucket: number): number {
  const exponent = Math.floor(bucket / SUB_BUCKETS) + MIN_EXPONENT;
  return 2 ** exponent * (1 + ((bucket % SUB_BUCKETS) + 0.5) / SUB_BUCKETS);
}
