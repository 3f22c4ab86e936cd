/** The rounds: in each, for each class of sizes, all ways are measured in turn. A round in which a file vanished does not count. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { clamp, type Session } from '../../../experiment/session.js';
import { describeSystemError, UsageError } from '../../../usage-error.js';
import type { Cache, ClassDraft, LaneName, Measured } from './class-draft.js';
import type { Answered, Lanes } from './lanes.js';

/** From twelve on one that was disturbed can be left out of each comparison: better than longer rounds. */
const WANTED_ROUNDS = 12;
const MOST_ROUNDS = 15;
/** How long a way reads in a round. */
const SLICE_MS = { least: 15, most: 250 } as const;
/** Beside reading: timers that begin and end, the counters of the cores, the hand-over between processes. Milliseconds. */
const HAND_OVER_MS = 12;

export interface RoundsOptions {
  readonly lanes: Lanes;
  readonly session: Session;
  readonly drafts: readonly ClassDraft[];
  readonly timeMs: number;
}

/** Each way reads each class once: it is warm after that, and what it read is known to be right. */
export async function verifyAll({ lanes, session, drafts }: RoundsOptions): Promise<void> {
  for (const draft of drafts) {
    for (const name of lanes.names) {
      if (session.isAborted || draft.isEmpty) break;
      const answer = await readWarm(lanes, name, draft, 0);
      if (answer === undefined) continue;
      if (answer.slice.failed.length > 0) draft.remove(failedOf(answer));
      else draft.verify(name, answer.slice.bytes);
    }
  }
}

/** Of the time that is left, so much goes into what is not measured: code that is not compiled yet. */
const WARM_SHARE = 0.15;
const WARM_MS = { least: 20, most: 500 } as const;

/** By the smallest files: there, the reader's own code weighs most. */
export async function warmUp({ lanes, session, drafts }: RoundsOptions): Promise<void> {
  const [smallest] = drafts.filter(({ isEmpty }) => !isEmpty);
  const ms = clamp((WARM_SHARE * session.remainingMs) / lanes.names.length, WARM_MS.least, WARM_MS.most);
  for (const name of lanes.names) {
    if (session.isAborted || smallest === undefined) return;
    await readWarm(lanes, name, smallest, ms);
  }
}

/** One round is made in any case. @returns how many were complete */
export async function measureRounds(cache: Cache, options: RoundsOptions): Promise<number> {
  const { lanes, session, drafts, timeMs } = options;
  const end = performance.now() + timeMs;
  const slices = Math.max(1, lanes.names.length * drafts.length);
  const ms = clamp(timeMs / (slices * (WANTED_ROUNDS + 1)) - HAND_OVER_MS, SLICE_MS.least, SLICE_MS.most);
  let rounds = 0;
  let longest = 0;
  while (
    !session.isAborted &&
    (rounds === 0 || (rounds < MOST_ROUNDS && performance.now() + longest <= end))
  ) {
    const begin = performance.now();
    session.say(`${cache === 'cold' ? 'cold, ' : ''}round ${rounds + 1}`);
    for (const draft of drafts) {
      if (!(await classRound(cache, draft, options, ms))) return rounds;
    }
    longest = Math.max(longest, performance.now() - begin);
    rounds += 1;
  }
  return rounds;
}

/** False: it was interrupted. */
async function classRound(
  cache: Cache,
  draft: ClassDraft,
  { lanes, session }: RoundsOptions,
  ms: number,
): Promise<boolean> {
  const round = new Map<LaneName, Measured>();
  const failed: string[] = [];
  for (const name of draft.isEmpty ? [] : lanes.names) {
    const answer = await (cache === 'cold' ? readCold(lanes, name, draft) : readWarm(lanes, name, draft, ms));
    if (session.isAborted) return false;
    if (answer === undefined) continue;
    round.set(name, answer.measured);
    failed.push(...failedOf(answer));
  }
  if (failed.length > 0) draft.remove(failed);
  else if (round.size > 0) draft.add(cache, round);
  return true;
}

function readWarm(
  lanes: Lanes,
  name: LaneName,
  draft: ClassDraft,
  ms: number,
): Promise<Answered | undefined> {
  return lanes.read(name, { paths: draft.paths, perCall: draft.perCall, ms });
}

function readCold(lanes: Lanes, name: LaneName, draft: ClassDraft): Promise<Answered | undefined> {
  dropCaches();
  return lanes.read(name, { paths: draft.coldPaths(), perCall: draft.coldPerCall(), ms: 0 });
}

function failedOf({ slice }: Answered): string[] {
  return slice.failed.map(({ path }) => path);
}

const DROP_CACHES = '/proc/sys/vm/drop_caches';
/** Pages, and the folders and attributes that lead to them: https://docs.kernel.org/admin-guide/sysctl/vm.html#drop-caches. */
const ALL = '3';
/** What was written a moment ago is not dropped before it is on the disk. Milliseconds. */
const SYNC_LIMIT_MS = 20_000;

/** Throws a UsageError that says why not. */
export function mustBeDroppable(): void {
  try {
    accessSync(DROP_CACHES, constants.W_OK);
  } catch (error) {
    throw new UsageError(
      `--cold: expected to be allowed to write ${DROP_CACHES} (Linux, as root), got: ${describeSystemError(error)}`,
    );
  }
}

/** Once, before the first drop. */
export function writeBack(folder: string): void {
  spawnSync('sync', ['-f', folder], { timeout: SYNC_LIMIT_MS, stdio: 'ignore' });
}

/** Everything on the machine has to be read anew from the disk after that. */
function dropCaches(): void {
  writeFileSync(DROP_CACHES, ALL);
}
