/** The turns in the rounds of a folder: each way with each class of sizes. If a file vanishes, the round does not count for its class. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { type Look, Rounds, sliceFor, type Turn } from '../../../experiment/rounds.js';
import { clamp } from '../../../experiment/session.js';
import { UsageError } from '../../../exit-code.js';
import { describeSystemError } from '../../../system-error.js';
import type { Cache, ClassDraft } from './class-draft.js';
import type { Answer, ReadingLane } from './lanes.js';
import type { Job } from './measure.js';
import type { ReadRequest } from './reader/process.js';

/** How many rounds are planned: with twelve, each comparison can leave out one that was disturbed. Longer rounds would gain less. */
const WANTED_ROUNDS = 12;
/** How many milliseconds a way reads in a round. */
const SLICE_MS = { least: 15, most: 250 } as const;
/** How many milliseconds a turn takes besides reading: timers that begin and end, the counters of the cores, messages between processes. */
const HAND_OVER_MS = 12;

/** Lets each way read each class once, which warms the cache, and notes how many bytes each way has read. */
export async function verifyAll({ lanes, session, drafts }: Job): Promise<void> {
  for (const draft of drafts) {
    for (const lane of usable(lanes)) {
      if (session.isAborted || draft.isEmpty) break;
      const answer = await readWarm(lane, draft, 0);
      if (answer?.failed.length === 0) draft.verify(lane.name, answer.bytes);
    }
  }
}

/** The share of the remaining time in which code gets compiled, and nothing is measured. */
const WARM_SHARE = 0.15;
const WARM_MS = { least: 20, most: 150 } as const;

/** Reads the smallest files: with these, the reader's own code weighs most. */
export async function warmUp({ lanes, session, drafts }: Job): Promise<void> {
  const smallest = drafts.find(({ isEmpty }) => !isEmpty);
  const all = usable(lanes);
  const ms = clamp((WARM_SHARE * session.remainingMs) / all.length, WARM_MS.least, WARM_MS.most);
  for (const lane of all) {
    if (session.isAborted || smallest === undefined) return;
    await readWarm(lane, smallest, ms);
  }
}

function usable(lanes: readonly ReadingLane[]): ReadingLane[] {
  return lanes.filter(({ isDead }) => !isDead);
}

/** Makes at least one round, however little time there is. */
export async function measureRounds(
  cache: Cache,
  { lanes, session, drafts }: Job,
  timeMs: number,
  look: Look | undefined,
): Promise<void> {
  const classes = drafts
    .filter(({ isEmpty }) => !isEmpty)
    .map((draft) => ({
      draft,
      turns: usable(lanes).map((lane) => [lane.name, turnOf(cache, lane, draft)] as const),
    }));
  const all = classes.flatMap(({ turns }) => turns.map(([, turn]) => turn));
  const ms = sliceFor({ ms: timeMs, ...SLICE_MS }, all.length, WANTED_ROUNDS + 1, HAND_OVER_MS);
  const rounds = new Rounds<Answer>({
    session,
    turns: all,
    needed: all.length,
    slice: cache === 'cold' ? { ms: 0, least: 0 } : { ms, least: SLICE_MS.least },
    overheadMs: HAND_OVER_MS,
    title: cache === 'cold' ? 'cold, ' : '',
    look,
  });
  for (const { draft, turns } of classes) {
    draft.rounds[cache] = () =>
      rounds.kept.map((round) => {
        const taken = turns.filter(([, turn]) => round.has(turn));
        return new Map(taken.map(([name, turn]) => [name, round.get(turn)!]));
      });
  }
  await rounds.run({ endMs: session.now() + timeMs });
  rounds.finish();
}

function turnOf(cache: Cache, lane: ReadingLane, draft: ClassDraft): Turn<Answer> {
  return {
    what: lane.what,
    isDead: () => draft.isEmpty || lane.isDead,
    take: ({ ms, round }) => {
      if (cache === 'warm') return readWarm(lane, draft, ms);
      dropCaches();
      return read(lane, draft, { paths: draft.coldPaths(round), perCall: draft.coldPerCall(round), ms: 0 });
    },
  };
}

function readWarm(lane: ReadingLane, draft: ClassDraft, ms: number): Promise<Answer | undefined> {
  return read(lane, draft, { paths: draft.paths, perCall: draft.perCall, ms });
}

/** What could not be read is not read again. */
async function read(lane: ReadingLane, draft: ClassDraft, request: ReadRequest): Promise<Answer | undefined> {
  const answer = await lane.read(request);
  if (answer !== undefined && answer.failed.length > 0) draft.remove(answer.failed);
  return answer;
}

const DROP_CACHES = '/proc/sys/vm/drop_caches';
/** Drops the page cache, dentries and inodes: https://docs.kernel.org/admin-guide/sysctl/vm.html#drop-caches. */
const ALL = '3';
/** How many milliseconds `sync` may take. Pages that are not on the disk yet would not be dropped. */
const SYNC_LIMIT_MS = 20_000;

/** Throws UsageError if the system's cache cannot be dropped. */
export function mustBeDroppable(): void {
  try {
    accessSync(DROP_CACHES, constants.W_OK);
  } catch (error) {
    throw new UsageError(
      `--cold: expected to be allowed to write ${DROP_CACHES} (Linux, as root), got: ${describeSystemError(error)}`,
    );
  }
}

/** Must be called once, before the first drop. */
export function writeBack(folder: string): void {
  spawnSync('sync', ['-f', folder], { timeout: SYNC_LIMIT_MS, stdio: 'ignore' });
}

/** Slows the whole machine: every program reads its files from the disk again. */
function dropCaches(): void {
  writeFileSync(DROP_CACHES, ALL);
}
