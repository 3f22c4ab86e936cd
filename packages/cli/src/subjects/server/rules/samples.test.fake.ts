/** Made-up measurements of servers, for tests: what each lane does is given, noise is drawn from a seed. */
import { NOTHING_MEASURED, SERIES } from './samples.js';
import type { LaneSamples, SeriesName, ServerSamples } from './samples.js';

export interface FakeLane extends Partial<Record<SeriesName, number>> {
  readonly rate: number;
  readonly errors?: Partial<LaneSamples['errors']>;
  readonly ended?: LaneSamples['ended'];
}

export interface FakeServer {
  readonly asIs: FakeLane;
  readonly offloaded?: FakeLane;
  readonly cluster?: FakeLane;
  readonly cores?: number;
  readonly rounds?: number;
  /** By which share each figure may be off, up or down. */
  readonly noise?: number;
  readonly seed?: number;
  readonly subject?: Partial<ServerSamples['subject']>;
  readonly more?: Partial<ServerSamples>;
}

const MIB = 2 ** 20;

export function fakeServer({
  asIs,
  cores = 4,
  rounds = 8,
  noise = 0.02,
  seed = 1,
  ...more
}: FakeServer): ServerSamples {
  const random = generator(seed);
  const lane = (of: FakeLane): LaneSamples =>
    laneOf(of, rounds, (value) => value * (1 + noise * (2 * random() - 1)));
  return {
    subject: {
      module: './app.js',
      form: 'listener',
      routes: ['GET /'],
      against: [],
      offload: more.offloaded === undefined ? [] : ['./tasks.js#render'],
      connections: { used: 50, asked: 50 },
      threads: cores,
      processes: cores,
      environment: 'production',
      ...more.subject,
    },
    machine: {
      cpu: 'test',
      cores,
      availableThreads: cores,
      memoryBytes: 4096 * MIB,
      node: 'v20.0.0',
      platform: 'test-x64',
      loadBefore: 0,
    },
    asIs: lane(asIs),
    control: lane(asIs),
    offloaded: more.offloaded && lane(more.offloaded),
    cluster: more.cluster && lane(more.cluster),
    skipped: [],
    notes: [],
    isCutShort: false,
    ...more.more,
  };
}

function laneOf(of: FakeLane, rounds: number, draw: (value: number) => number): LaneSamples {
  const { p99Ms = 20, loadShare = 0.3, errors, ended } = of;
  const figures = {
    p50Ms: p99Ms / 2,
    p95Ms: p99Ms * 0.9,
    p99Ms,
    loopDelayMs: 5,
    loopShare: 1,
    cpuShare: 1,
    loadShare,
    loadLoopShare: loadShare,
    otherShare: 0,
    residentBytes: 80 * MIB,
    ...of,
  };
  const series = SERIES.map((name) => [name, Array.from({ length: rounds }, () => draw(figures[name]))]);
  return {
    ...(Object.fromEntries(series) as Record<SeriesName, number[]>),
    errors: { ...NOTHING_MEASURED.errors, answers: 10_000, ...errors },
    ended,
  };
}

/** A linear congruential generator (D. Lehmer; constants of "Numerical Recipes"): from 0 to 1, the same each time. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
