/** Samples in, findings out: no clock, no I/O. */
import type { Estimate } from '../../../experiment/statistics.js';
import { figuresOf } from './figures.js';
import { reasonsOf, warningsOf } from './reasons.js';
import type { ServerSamples } from './samples.js';
import { serverVerdict } from './verdict.js';

export function findServer(samples: ServerSamples): ServerFindings {
  const figures = figuresOf(samples);
  const verdict = serverVerdict(samples, figures);
  const gainOf = (name: 'offloaded' | 'cluster') => figures.ways.find((way) => way.name === name)?.gain;
  return {
    kind: 'server',
    schemaVersion: 1,
    verdict,
    reasons: reasonsOf(samples, figures),
    warnings: warningsOf(samples, verdict),
    gains: { offloaded: gainOf('offloaded'), cluster: gainOf('cluster') },
    noise: figures.noise,
    samples,
  };
}

export type ServerAnswer = 'leave' | 'offload' | 'cluster' | 'unknown';

export interface ServerVerdict {
  readonly answer: ServerAnswer;
  /** For the first line: what to do, and the figure that decides. */
  readonly sentence: string;
  /** It is an estimate, and says so. */
  readonly isLikely?: true;
}

/** Another way of running the app against the app as it is: how many times as much. Undefined: it came to no number. */
export interface Gain {
  readonly requests: Estimate | undefined;
  readonly p99: Estimate | undefined;
  readonly memory: Estimate | undefined;
}

/** By what share the very same differs, when it is run twice: effects below that are not seen. */
export interface Noise {
  readonly requests: number | undefined;
  readonly p99: number | undefined;
}

export interface ServerFindings {
  readonly kind: 'server';
  readonly schemaVersion: 1;
  readonly verdict: ServerVerdict;
  /** Why, most important first. */
  readonly reasons: readonly string[];
  /** What to know before one believes any of it. */
  readonly warnings: readonly string[];
  readonly gains: { readonly offloaded: Gain | undefined; readonly cluster: Gain | undefined };
  readonly noise: Noise;
  readonly samples: ServerSamples;
}
