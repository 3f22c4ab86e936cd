/**
 * Measures how the files of a folder are best read. Each way has a process of its own, and all take turns in each round, so that what
 * changes on the machine changes all of them. The same loop runs in two processes: their difference is noise.
 */
import { openAll } from '../../../experiment/lane.js';
import { readMachine } from '../../../experiment/machine.js';
import { FIRST_ANSWER_MS, type Look } from '../../../experiment/rounds.js';
import { type Plan, type Progress, Session } from '../../../experiment/session.js';
import { bytes } from '../../../format/figures.js';
import { UsageError } from '../../../exit-code.js';
import type { FolderSamples, FolderSubject } from '../rules/samples.js';
import { type ClassDraft, readFirst } from './class-draft.js';
import { countsOf, type FileChoice, findFiles, type Found } from './find-files.js';
import { lanesOf, type ReadingLane } from './lanes.js';
import { measureRounds, mustBeDroppable, verifyAll, warmUp, writeBack } from './turns.js';
import { classesOf, type SizeClass, sumOf } from './size-classes.js';

export interface FolderPlan extends Plan, FileChoice {
  /** How many read at the same time; undefined: as many as the library thinks best. */
  readonly threads: number | undefined;
  /** Whether to measure with the system's cache of files dropped as well. */
  readonly cold: boolean;
}

/** A measurement in progress: what was found, who reads it, and what came of it. */
export interface Job {
  readonly session: Session<FolderPlan>;
  readonly found: Found;
  readonly lanes: readonly ReadingLane[];
  /** How many read at the same time, in ways that have several. */
  readonly readers: number;
  readonly drafts: ClassDraft[];
}

/** The shares of the budget for finding the files and for the first read. The budget counts up to a limit, since the user waits. */
const WALK_SHARE = 0.1;
const FIRST_SHARE = 0.12;
const MOST_FOR_FIRST_MS = 2 * FIRST_ANSWER_MS;
/** The share of the remaining time for cold rounds, if they are asked for. */
const COLD_SHARE = 0.5;
/** The share of the machine's memory that the files of a class may take: some ways hold all that they read. */
const MEMORY_SHARE = 1 / 16;
/** How many bytes of a class are read at most: enough for a mean, and few enough to stay in the cache. */
const MOST_BYTES = 256 * 2 ** 20;

/** Rejects with UsageError where there is nothing to measure. When it settles, none of its processes is left. */
export async function measureFolder(
  plan: FolderPlan,
  events: Progress,
  look?: (samples: FolderSamples) => string | undefined,
): Promise<FolderSamples> {
  if (plan.cold) mustBeDroppable();
  const session = new Session(plan, events);
  session.say('looking for files');
  const found = await findFiles({ ...plan, mostMs: WALK_SHARE * firstMs(plan) });
  if (found.files.length === 0 && !session.isAborted) throw new UsageError(nothingFound(plan, found));
  const machine = readMachine();
  const readers = plan.threads ?? machine.availableThreads;
  const { memoryBytes } = machine;
  const drafts: ClassDraft[] = [];
  const lanes = lanesOf(session, readers, memoryBytes);
  const job: Job = { session, found, lanes, readers, drafts };
  try {
    await firstReads(job, Math.min(MOST_BYTES, MEMORY_SHARE * memoryBytes));
    const samples = (): FolderSamples => ({
      subject: subjectOf(plan, found),
      machine,
      threads: readers,
      classes: drafts.map((draft) => draft.finish()),
      skipped: session.skipped,
      isCutShort: session.isCutShort,
    });
    if (drafts.length > 0) await measureAll(job, look && (() => look(samples())));
    return samples();
  } finally {
    await session.close();
  }
}

async function firstReads(job: Job, mostBytes: number): Promise<void> {
  const { session, found, drafts } = job;
  const { plan } = session;
  const classes = classesOf(found.files);
  const timeMs = (FIRST_SHARE * firstMs(plan)) / (2 * classes.length);
  for (const sizes of classes) {
    if (plan.signal.aborted) break;
    session.say('reading for the first time');
    const draft = await readFirst(sizes, job, mostBytes, timeMs);
    const isTooLarge = sizes.files.every((file) => file.bytes > mostBytes);
    if (draft !== undefined) drafts.push(draft);
    else {
      const why = isTooLarge ? `each has more than ${bytes(mostBytes)}` : 'none of them could be read';
      session.skip(sizesInWords(sizes), why);
    }
  }
}

function sizesInWords({ fromBytes, belowBytes }: SizeClass): string {
  return belowBytes === undefined ? `files from ${bytes(fromBytes)}` : `files below ${bytes(belowBytes)}`;
}

function firstMs({ budgetMs }: FolderPlan): number {
  return Math.min(budgetMs, MOST_FOR_FIRST_MS);
}

async function measureAll(job: Job, look: Look | undefined): Promise<void> {
  const { session, lanes } = job;
  const { plan } = session;
  session.say('starting');
  await openAll(lanes);
  session.say('warming up');
  await verifyAll(job);
  await warmUp(job);
  const coldMs = plan.cold ? COLD_SHARE * session.remainingMs : 0;
  await measureRounds('warm', job, session.remainingMs - coldMs, look);
  if (!plan.cold || plan.signal.aborted) return;
  session.say('writing back what is not on the disk yet');
  writeBack(plan.folder);
  await measureRounds('cold', job, session.remainingMs, look);
}

function subjectOf({ folder }: FolderPlan, found: Found): FolderSubject {
  return {
    folder,
    files: found.files.length,
    bytes: sumOf(found.files),
    isWalkCut: found.isCut,
    left: { links: found.links, others: found.others },
    unreadable: countsOf(found.unreadable),
  };
}

function nothingFound({ folder, patterns, dot }: FolderPlan, { unreadable, links }: Found): string {
  const what = patterns.length === 0 ? 'file' : `file that matches ${patterns.join(' ')}`;
  const hints = [
    ...countsOf(unreadable).map(({ why, count }) => `${count} could not be read: ${why}`),
    links > 0 && `symbolic links are not followed: ${links}`,
    !dot && 'names that begin with a dot need --dot',
  ].filter(Boolean);
  const why = hints.length === 0 ? '' : ` (${hints.join('; ')})`;
  return `expected at least one ${what} in '${folder}', got none${why}`;
}
