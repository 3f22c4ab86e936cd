/** Samples in, findings out: no clock, no I/O. */
import { figuresOf } from './figures.js';
import type { ServerFindings } from './findings.js';
import { reasonsOf } from './reasons.js';
import type { ServerSamples } from './samples.js';
import { serverVerdict } from './verdict.js';
import { warningsOf } from './warnings.js';

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
