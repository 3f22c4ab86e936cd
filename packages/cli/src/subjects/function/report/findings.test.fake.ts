/**
 * Made-up findings for tests of the views: four cores, and a call of a millisecond. The figures are round, so that the expected text can be
 * worked out by hand.
 */
import type { Series, Spread } from '../../../experiment/statistics.js';
import { analyze } from '../rules/analyze.js';
import type { Findings } from '../rules/analyze.js';
import { newSamples, type PoolSamples, type Samples } from '../rules/samples.js';
import { WELL_BEHAVED } from '../rules/simulated.test.fake.js';

const MiB = 1024 ** 2;

export function five(value: number): Series {
  return [value, value, value, value, value];
}

function pool(threads: number, rate: Series, residentMiB: number): PoolSamples {
  return {
    threads,
    rate,
    cpuMs: five(1.1),
    loopDelayMs: five(1.2),
    mainUtilization: five(0.2),
    busyShare: five(0.95),
    residentBytes: five(residentMiB * MiB),
    wantedCores: five(threads),
  };
}

function spread(p50: number, p99: number, max: number): Spread {
  return { count: 200, mean: p50, p50, p90: p99, p99, max };
}

const subject = {
  module: './tasks.js',
  export: 'hash',
  inputs: { count: 1000, used: 200, how: 'evenly spread' },
};
const machine = {
  cpu: 'Imaginary 3000',
  cores: 4,
  availableThreads: 4,
  memoryBytes: 8192 * MiB,
  node: 'v22.1.0',
  platform: 'linux x64',
  loadBefore: 0.2,
};

export function fakeSamples(changes: Partial<Samples> = {}): Samples {
  return {
    ...newSamples(subject, machine),
    behaviour: WELL_BEHAVED,
    inline: {
      coldMs: 12,
      callMs: { count: 200, mean: 1.1, p50: 1, p90: 1.4, p99: 2, max: 3 },
      rate: [990, 1000, 1000, 1000, 1010],
      cpuMs: five(1),
      loopDelayMs: five(48),
      garbageShare: five(0.02),
      wantedCores: five(1),
      bytesIn: spread(1024, 4096, 8192),
      bytesOut: spread(32, 32, 32),
      bySize: [
        { bytes: 1024, ms: five(1) },
        { bytes: 4096, ms: five(4) },
      ],
      residentBytes: 60 * MiB,
    },
    threads: [
      pool(1, five(950), 70),
      pool(2, [1800, 1900, 1900, 1900, 2000], 80),
      pool(4, five(3600), 100),
      pool(8, five(3500), 140),
    ],
    variants: [{ ...pool(4, five(3800), 100), name: 'batch', size: 16 }],
    crossings: [
      { transport: 'shared', cpuMs: five(0.0014), loneMs: five(0.02) },
      { transport: 'message', cpuMs: five(0.016), loneMs: five(0.05) },
    ],
    spins: [
      { runMs: 0.001, inline: five(1_000_000), pool: five(100_000) },
      { runMs: 0.01, inline: five(100_000), pool: five(80_000) },
      { runMs: 0.1, inline: five(10_000), pool: [29_000, 30_000, 30_000, 30_000, 31_000] },
      { runMs: 1, inline: five(1000), pool: five(3700) },
    ],
    cores: [
      { cores: 1, threads: 1, rate: five(940) },
      { cores: 1, threads: 2, rate: five(930) },
      { cores: 2, threads: 1, rate: five(950) },
      { cores: 2, threads: 2, rate: [1860, 1880, 1880, 1880, 1900] },
      { cores: 4, threads: 2, rate: five(1900) },
      { cores: 4, threads: 4, rate: five(3600) },
    ],
    start: { readyMs: five(40), bytesPerThread: five(10 * MiB) },
    control: { before: [1000, 1010], after: [990, 1000] },
    skipped: [],
    isCutShort: false,
    ...changes,
  };
}

export function fakeFindings(changes: Partial<Findings> = {}): Findings {
  return {
    schemaVersion: 1,
    verdict: { answer: 'threads', sentence: 'Threads pay: 3.6 x with 4 threads' },
    reasons: ['there are 4 cores', "with `placement: 'auto'`: 1.1 x the calls of the plain pool"],
    warnings: ['3 of 200 calls failed: no such thing'],
    breakEven: {
      runMs: { value: 0.015, low: 0.014, high: 0.016 },
      inputBytes: undefined,
      calls: { value: 56, low: 50, high: 60 },
    },
    knee: { threads: 4, gain: { value: 3.6, low: 3.56, high: 3.64 } },
    limits: [{ name: 'cores', why: 'there are 4 cores' }],
    amdahl: { serialShare: { value: 0.02, low: 0.01, high: 0.03 }, error: 0.012 },
    alternatives: [
      {
        name: 'batch',
        gain: { value: 1.06, low: 1.06, high: 1.06 },
        changesVerdict: false,
        sentence: 'with 16 inputs in one call: 1.1 x the calls of the plain pool, 3.8 x those without a pool',
      },
    ],
    recommended: { threads: 4 },
    gain: { value: 3.6, low: 3.56, high: 3.64 },
    noise: 0.01,
    samples: fakeSamples(),
    ...changes,
  };
}

/** The findings of a measurement that ended before anything was measured. */
export function nothingFound(): Findings {
  const verdict = { answer: 'unknown', sentence: 'Cannot tell: not enough was measured' } as const;
  const samples = { ...newSamples(subject, machine), skipped: [], isCutShort: true };
  return { ...analyze(samples), verdict, warnings: [] };
}

const LONG = 'a-name-that-goes-on-without-a-place-to-break-it-'.repeat(300);

/** Text by which a program could attack the reader of its report: it steers a terminal, is markup, or runs. */
export const HOSTILE = [
  '\x1b[2J\x1b[31mred\x1b[0m\u009b5n\u202eesrever\n\r\t',
  '</style></title><script>alert(1)</script><img src=x onerror="alert(2)">',
  '" onload="alert(3)" x=\'',
  '| a | b |\n# heading\n[link](javascript:alert(4)) `code` **bold** <b>',
  LONG,
].join(' ');

/** Every text that comes from the user's program, or from his machine, is hostile. */
export function hostileFindings(): Findings {
  return fakeFindings({
    verdict: { answer: 'unknown', sentence: `Cannot tell: every call fails: ${HOSTILE}` },
    reasons: [HOSTILE],
    warnings: [HOSTILE, LONG],
    limits: [{ name: 'none', why: HOSTILE }],
    alternatives: [{ ...fakeFindings().alternatives[0]!, sentence: HOSTILE }],
    samples: fakeSamples({
      subject: { module: HOSTILE, export: HOSTILE, inputs: { ...subject.inputs, how: HOSTILE } },
      machine: { ...machine, cpu: HOSTILE, node: HOSTILE, platform: HOSTILE },
    }),
  });
}
