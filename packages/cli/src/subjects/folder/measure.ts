/**
 * Measures how the files of a folder are best read: each way in a process of its own, in turn, round by round, so that what changes on
 * the machine changes all of them. The same loop runs in two processes: what they differ by is noise.
 */
import { readMachine } from '../../experiment/machine.js';
import { bytes } from '../../format/figures.js';
import { UsageError } from '../../usage-error.js';
import type { ClassDraft, LaneName } from './class-draft.js';
import { Clock } from './clock.js';
import { findFiles, type Found } from './find-files.js';
import { readFirst } from './first-read.js';
import { Lanes } from './lanes.js';
import { mustBeDroppable, writeBack } from './page-cache.js';
import type { FolderEvents, FolderPlan } from './plan.js';
import { ENOUGH_ROUNDS, measureRounds, type RoundsOptions, verifyAll, warmUp } from './rounds.js';
import type { FolderSamples, FolderSubject } from './samples.js';
import { classesOf, type SizeClass, sumOf } from './size-classes.js';
import { titleOf } from './ways.js';

/** Shares of the budget, at most: looking for the files, and reading them for the first time. */
const WALK_SHARE = 0.1;
const FIRST_SHARE = 0.12;
/** Of what is left, for cold rounds where they are asked for. */
const COLD_SHARE = 0.5;
/** Of the machine's memory, so much of a class may be held: some ways hold all that they read. */
const MEMORY_SHARE = 1 / 16;
const MOST_BYTES = 256 * 2 ** 20;

/** Rejects with UsageError where there is nothing to measure. When it settles, none of its processes is left. */
export async function measureFolder(plan: FolderPlan, events: FolderEvents): Promise<FolderSamples> {
  if (plan.cold) mustBeDroppable();
  const clock = new Clock(plan, events);
  clock.say('looking for files');
  const found = await findFiles({ ...plan, mostMs: WALK_SHARE * plan.budgetMs });
  if (found.files.length === 0) throw new UsageError(nothingFound(plan, found));
  const machine = readMachine();
  const readers = plan.threads ?? machine.availableThreads;
  const skipped: { what: string; why: string }[] = [];
  const skip = (name: LaneName, why: string): void => {
    skipped.push({ what: name === 'control' ? 'the control run' : titleOf(name), why });
  };
  const { memoryBytes } = machine;
  const lanes = new Lanes({ clock, signal: plan.signal, readers, memoryBytes, skip });
  const job: Job = { plan, clock, found, lanes, readers, skipped };
  try {
    const mostBytes = Math.min(MOST_BYTES, MEMORY_SHARE * memoryBytes);
    const drafts = await firstReads(job, mostBytes);
    const isCutShort = await allRounds(job, drafts);
    const classes = drafts.map((draft) => draft.finish());
    return { subject: subjectOf(plan, found), machine, threads: readers, classes, skipped, isCutShort };
  } finally {
    await lanes.close();
  }
}

interface Job {
  readonly plan: FolderPlan;
  readonly clock: Clock;
  readonly found: Found;
  readonly lanes: Lanes;
  readonly readers: number;
  readonly skipped: { what: string; why: string }[];
}

async function firstReads(job: Job, mostBytes: number): Promise<ClassDraft[]> {
  const { plan, clock, lanes, readers, found, skipped } = job;
  const classes = classesOf(found.files);
  const timeMs = (FIRST_SHARE * plan.budgetMs) / (2 * classes.length);
  const drafts: ClassDraft[] = [];
  for (const sizes of classes) {
    if (plan.signal.aborted) break;
    clock.say('reading for the first time');
    const options = { lanes, clock, readers, mostBytes, timeMs, unreadable: found.unreadable };
    const draft = await readFirst(sizes, options);
    if (draft !== undefined) drafts.push(draft);
    else skipped.push({ what: sizesInWords(sizes), why: whyNone(sizes, mostBytes) });
  }
  return drafts;
}

function sizesInWords({ fromBytes, belowBytes }: SizeClass): string {
  return belowBytes === undefined ? `files from ${bytes(fromBytes)}` : `files below ${bytes(belowBytes)}`;
}

function whyNone({ files }: SizeClass, mostBytes: number): string {
  const isTooLarge = files.every((file) => file.bytes > mostBytes);
  return isTooLarge ? `each has more than ${bytes(mostBytes)}` : 'none of them could be read';
}

/** Whether there was not enough time. */
async function allRounds(job: Job, drafts: readonly ClassDraft[]): Promise<boolean> {
  const { plan, clock, lanes } = job;
  if (drafts.length === 0) return clock.isOver;
  clock.say('starting');
  await lanes.openAll();
  const options = (timeMs: number): RoundsOptions => ({ lanes, clock, drafts, signal: plan.signal, timeMs });
  clock.say('warming up');
  await verifyAll(options(0));
  await warmUp(options(0));
  const coldMs = plan.cold ? COLD_SHARE * clock.remainingMs : 0;
  const warm = await measureRounds('warm', options(clock.remainingMs - coldMs));
  if (!plan.cold || plan.signal.aborted) return warm < ENOUGH_ROUNDS;
  clock.say('writing back what is not on the disk yet');
  writeBack(plan.folder);
  const cold = await measureRounds('cold', options(clock.remainingMs));
  return Math.min(warm, cold) < ENOUGH_ROUNDS;
}

function subjectOf({ folder }: FolderPlan, found: Found): FolderSubject {
  return {
    folder,
    files: found.files.length,
    bytes: sumOf(found.files),
    isWalkCut: found.isCut,
    left: { links: found.links, others: found.others },
    unreadable: found.unreadable.list(),
  };
}

function nothingFound({ folder, patterns, dot }: FolderPlan, { unreadable, links }: Found): string {
  const what = patterns.length === 0 ? 'file' : `file that matches ${patterns.join(' ')}`;
  const hints = [
    ...unreadable.list().map(({ why, count }) => `${count} could not be read: ${why}`),
    links > 0 && `${links} symbolic links are not followed`,
    !dot && 'names that begin with a dot need --dot',
  ].filter(Boolean);
  return `expected at least one ${what} in '${folder}', got none (${hints.join('; ')})`;
}
