/** Made-up samples of a folder: what would have been measured if the truth were this. */
import {
  type ClassSamples,
  type FolderSamples,
  type RoundSamples,
  type WayName,
  WAY_NAMES,
} from './samples.js';

/** A factor that is up to `by` above or below 1: the same in each test, but not the same for two ways. */
function wobble(round: number, way: number, by: number): number {
  return 1 + by * Math.sin(7 * round + 3 * way);
}

/**
 * @param gains how many times as many files as the loop each way reads; what is not named reads as many
 * @param by what repeated runs differ by, up or down
 */
export function fakeRounds(gains: Partial<Record<WayName, number>>, by = 0.01, rounds = 8): RoundSamples {
  const series = (gain: number, way: number): number[] =>
    Array.from({ length: rounds }, (_, round) => 1000 * gain * wobble(round, way, by));
  return {
    ways: WAY_NAMES.map((name, i) => ({
      name,
      rate: series(gains[name] ?? 1, i),
      loopDelayMs: series(name === 'sync-loop' ? 0.02 : 0.001, i),
      busy: Array.from({ length: 6 }, () => (name.startsWith('workers') ? [0.9, 0.8] : [0.9, 0.1])),
      readBytes: 1000,
    })),
    control: series(1, WAY_NAMES.length),
  };
}

export const FEWER_ASYNC = { 'async-all': 0.3, 'async-chain': 0.15, 'read-files': 0.95 } as const;
export const MORE_IN_WORKERS = {
  processes: 1.8,
  workers: 1.9,
  'workers-read-files': 1.85,
  'workers-return': 0.8,
} as const;

export function fakeClass(warm: RoundSamples, some: Partial<ClassSamples> = {}): ClassSamples {
  return {
    fromBytes: 0,
    belowBytes: 4096,
    files: 100,
    bytes: 100_000,
    sampled: { files: 100, bytes: 100_000 },
    batch: { files: 10, bytes: 1000, repeatsFiles: false },
    firstRead: { first: 100, again: 1000 },
    warm,
    cold: undefined,
    ...some,
  };
}

export function fakeFolder(
  classes: readonly ClassSamples[],
  some: Partial<FolderSamples> = {},
): FolderSamples {
  return {
    subject: {
      folder: './photos',
      files: 100,
      bytes: 100_000,
      isWalkCut: false,
      left: { links: 0, others: 0 },
      unreadable: [],
    },
    machine: {
      cpu: 'made up',
      cores: 2,
      availableThreads: 2,
      memoryBytes: 2 ** 33,
      node: 'v20.20.2',
      platform: 'linux-x64',
      loadBefore: 0.1,
    },
    threads: 2,
    classes,
    skipped: [],
    isCutShort: false,
    ...some,
  };
}

export const SECOND = { fromBytes: 4096, belowBytes: 65_536 } as const;
export const LAST = { fromBytes: 2 ** 24, belowBytes: undefined } as const;
