/** Measures how files are read best. Each way has a process, and all take turns in each round; one way runs twice: the difference is noise. */
import { bisectRight, cumsum, sum } from 'd3-array';
import { coreTimes } from '../../../experiment/gauges.js';
import { isTight, Lane, openAll } from '../../../experiment/lane.js';
import { readMachine } from '../../../experiment/machine.js';
import { FIRST_ANSWER_MS, Rounds, sliceFor } from '../../../experiment/rounds.js';
import type { StepsOf } from '../../../experiment/serve.js';
import { clamp, type Plan, type Progress, Session } from '../../../experiment/session.js';
import { bytes } from '../../../format/figures.js';
import { UsageError } from '../../../exit-code.js';
import { sizesInWords } from '../rules/analyze.js';
import { type FolderSamples, WAY_NAMES, type WayName, WAYS } from '../rules/samples.js';
import { classesOf, draftOf, mustBeDroppable, sampleOf, sumOf, without, writeBack } from './classes.js';
import type { Cache, ClassDraft, SizedFile } from './classes.js';
import { countsOf, type FileChoice, findFiles } from './find-files.js';
import type { ParallelWay } from './reader/parallel.js';
import type { open, ReadRequest } from './reader/process.js';

export interface FolderPlan extends Plan, FileChoice {
  readonly threads: number | undefined; // how many read at the same time; undefined: as many as the library thinks best
  readonly cold: boolean; // whether to measure with the system's cache of files dropped as well
}

/** The shares of the budget for finding the files and for the first read. The budget counts up to a limit, since the user waits. */
const WALK_SHARE = 0.1;
const FIRST_SHARE = 0.12;
const MOST_FOR_FIRST_MS = 2 * FIRST_ANSWER_MS;
const MEMORY_SHARE = 1 / 16; // of the machine's memory for the files of a class: some ways hold all that they read
const MOST_BYTES = 256 * 2 ** 20; // of a class: enough for a mean, and few enough to stay in the cache
const COLD_SHARE = 0.5; // the share of the remaining time for cold rounds, if they are asked for
const WARM_SHARE = 0.15; // of the remaining time, in which code gets compiled, and nothing is measured
const WARM_MS = { least: 20, most: 150 } as const;
const WANTED_ROUNDS = 12; // each comparison can leave out one that was disturbed. Longer rounds would gain less
const SLICE_MS = { least: 15, most: 250 } as const; // how long a way reads in a round
/** How many milliseconds a turn takes besides reading: timers that begin and end, the counters of the cores, messages between processes. */
const HAND_OVER_MS = 12;

/** Rejects with UsageError where there is nothing to measure. When it settles, none of its processes is left. */
export async function measureFolder(
  plan: FolderPlan,
  events: Progress,
  look?: (samples: FolderSamples) => string | undefined,
): Promise<FolderSamples> {
  if (plan.cold) mustBeDroppable();
  const session = new Session(plan, events);
  session.say('looking for files');
  const firstMs = Math.min(plan.budgetMs, MOST_FOR_FIRST_MS);
  const found = await findFiles({ ...plan, mostMs: WALK_SHARE * firstMs });
  const { files, isCut, links, others, unreadable } = found;
  if (files.length === 0 && !session.isAborted) throw new UsageError(nothingFound(plan, found));
  const machine = readMachine();
  const readers = plan.threads ?? machine.availableThreads;
  const drafts: ClassDraft[] = [];
  /** Why each of the files that were found could not be read, by its path. */
  const lost = new Map<string, string>();
  const names: LaneName[] = ['control', ...WAY_NAMES];
  const tight = isTight(names.length, PARALLEL.length * readers * READER_BYTES, machine.memoryBytes);
  const lanes = names.map((name) => readingLane(name, readers, session, tight, lost));
  const usable = () => lanes.filter(({ isDead }) => !isDead);
  try {
    await firstReads(Math.min(MOST_BYTES, MEMORY_SHARE * machine.memoryBytes));
    if (drafts.length > 0) await measureAll();
    return samples();
  } finally {
    await session.close();
  }

  function samples(): FolderSamples {
    const counts = countsOf([...unreadable, ...lost.values()]);
    const found = { files: files.length, bytes: sumOf(files), isWalkCut: isCut, unreadable: counts };
    return {
      subject: { folder: plan.folder, ...found, left: { links, others } },
      machine,
      threads: readers,
      classes: drafts.map((draft) => draft.samples()),
      skipped: session.skipped,
      isCutShort: session.isCutShort,
    };
  }

  /**
   * Reads files of each class twice, one after the other, to learn which of them can be read, how fast, and whether they were in the
   * system's cache; afterwards they are. A class of which none can be measured is left out.
   * @param mostBytes how many bytes one file, and all that are read of a class, may have
   */
  async function firstReads(mostBytes: number): Promise<void> {
    const loop = lanes.find(({ name }) => name === 'sync-loop')!;
    const classes = classesOf(files);
    const timeMs = (FIRST_SHARE * firstMs) / (2 * classes.length);
    for (const sizes of classes) {
      session.say('reading for the first time');
      const endMs = session.now() + timeMs;
      const first = await readPieces(sampleOf(sizes.files, mostBytes), loop, session, endMs);
      const again = await readPieces(first.read, loop, session, endMs + timeMs);
      const kept = without(first.read, again.failed);
      if (kept.length > 0) {
        drafts.push(draftOf(sizes, kept, { first: first.rate, again: again.rate }, readers));
        continue;
      }
      // After an interrupt, or without a process that reads, the files are not at fault.
      if (session.isAborted || loop.isDead) break;
      const isTooLarge = sizes.files.every((file) => file.bytes > mostBytes);
      const why = isTooLarge ? `each has more than ${bytes(mostBytes)}` : 'none of them could be read';
      session.skip(`files ${sizesInWords(sizes)}`, why);
    }
  }

  async function measureAll(): Promise<void> {
    session.say('starting');
    await openAll(lanes);
    session.say('warming up');
    // Each way reads each class once, which warms the cache.
    for (const draft of drafts) {
      for (const lane of usable()) if (!session.isAborted && !draft.isEmpty()) await draft.readWarm(lane, 0);
    }
    // The smaller the files, the larger is the share of the time that the reader's own code takes.
    const smallest = drafts.find(({ isEmpty }) => !isEmpty());
    const warmMs = (WARM_SHARE * session.remainingMs) / usable().length;
    for (const lane of usable()) {
      if (!session.isAborted) await smallest?.readWarm(lane, clamp(warmMs, WARM_MS.least, WARM_MS.most));
    }
    await measureRounds('warm', session.remainingMs * (plan.cold ? 1 - COLD_SHARE : 1));
    if (!plan.cold || session.isAborted) return;
    session.say('writing back what is not on the disk yet');
    writeBack(plan.folder);
    await measureRounds('cold', session.remainingMs);
  }

  /** Makes at least one round, however little time there is. If a file vanishes, the round does not count for its class. */
  async function measureRounds(cache: Cache, timeMs: number): Promise<void> {
    const classes = drafts.filter(({ isEmpty }) => !isEmpty());
    const turns = classes.flatMap((draft) => draft.turnsOf(cache, usable()));
    const ms = sliceFor({ ms: timeMs, ...SLICE_MS }, turns.length, WANTED_ROUNDS + 1, HAND_OVER_MS);
    const rounds = new Rounds<Answer>({
      session,
      turns,
      needed: turns.length,
      slice: cache === 'cold' ? { ms: 0, least: 0 } : { ms, least: SLICE_MS.least },
      overheadMs: HAND_OVER_MS,
      title: cache === 'cold' ? 'cold, ' : '',
      look: look && (() => look(samples())),
    });
    for (const draft of classes) draft.rounds[cache] = rounds;
    await rounds.run({ endMs: session.now() + timeMs });
    rounds.finish();
  }
}

type Found = Awaited<ReturnType<typeof findFiles>>;

function nothingFound({ folder, patterns, dot }: FolderPlan, { unreadable, links, others }: Found): string {
  const what = patterns.length === 0 ? 'file' : `file that matches ${patterns.join(' ')}`;
  const hints = [
    ...countsOf(unreadable).map(({ why, count }) => `${count} could not be read: ${why}`),
    links > 0 && `symbolic links are not followed: ${links}`,
    others > 0 && `sockets, FIFOs and devices are not read: ${others}`,
    !dot && 'names that begin with a dot need --dot',
  ].filter(Boolean);
  const why = hints.length === 0 ? '' : ` (${hints.join('; ')})`;
  return `expected at least one ${what} in '${folder}', got none${why}`;
}

const FILES_AT_ONCE = 200; // how many files and bytes one request reads: few, so that it ends soon where the disk is slow
const BYTES_AT_ONCE = 16 * 2 ** 20;

/** Reads one piece after the other until the time is over, but at least one. */
async function readPieces(all: readonly SizedFile[], loop: ReadingLane, session: Session, endMs: number) {
  const read: SizedFile[] = [];
  const answers: Answer[] = [];
  while (read.length < all.length) {
    const next = all.slice(read.length, read.length + FILES_AT_ONCE);
    const fitting = bisectRight([...cumsum(next, (file) => file.bytes)], BYTES_AT_ONCE);
    const piece = next.slice(0, Math.max(1, fitting));
    const answer = await loop.read({ paths: piece.map(({ path }) => path), ms: 0, perCall: 1 });
    if (answer === undefined) break;
    read.push(...piece);
    answers.push(answer);
    if (session.now() > endMs || session.isOver) break;
  }
  const [files, ms] = [sum(answers, (each) => each.files), sum(answers, (each) => each.ms)];
  const failed = answers.flatMap((each) => each.failed);
  return { read: without(read, failed), failed, rate: ms > 0 ? (files * 1000) / ms : 0 };
}

const PROCESS = new URL('./reader/process.js', import.meta.url);
const READER_BYTES = 30 * 2 ** 20; // an idle reader, generously: the system would kill a process if memory ran out
/** The ways in which several threads or processes read. */
const PARALLEL: readonly ParallelWay[] = ['processes', 'workers', 'workers-read-files', 'workers-return'];

type Reading = StepsOf<typeof open>;

/** 'control' runs 'sync-loop' once more, to measure the noise. */
export type LaneName = WayName | 'control';

/** What was read in how many files per second, and how busy each core of the machine was meanwhile, over time. */
export type Answer = NonNullable<Awaited<ReturnType<ReadingLane['read']>>>;

export type ReadingLane = ReturnType<typeof readingLane>;

/** The process that reads in one way. @param lost gets the files that it could not read, and why */
function readingLane(
  name: LaneName,
  readers: number,
  session: Session,
  tight: boolean,
  lost: Map<string, string>,
) {
  const lane = new Lane<Reading>({
    session,
    what: name === 'control' ? 'the control run' : WAYS[name].title,
    start: () => session.start<Reading>(PROCESS),
    setup: { way: name === 'control' ? 'sync-loop' : name, readers },
    openMs: 0,
    isTight: tight,
  });
  /** Resolves to undefined if the step failed, which the session then knows, or if it was interrupted. */
  const read = async (request: ReadRequest) => {
    await lane.start();
    const endWatch = watchCores();
    const slice = await lane.step(request, request.ms);
    const busy = endWatch();
    for (const { path, why } of slice?.failed ?? []) lost.set(path, why);
    return slice && { ...slice, rate: slice.ms > 0 ? (slice.files * 1000) / slice.ms : Number.NaN, busy };
  };
  return Object.assign(lane, { name, read });
}

const SAMPLE_MS = 100; // the system counts in hundredths of a second, so that a shorter time says nothing

/** Returns a function that returns how busy each core of the machine was until then, with all programs, by the system's own counters. */
function watchCores(): () => number[][] {
  const busy: number[][] = [];
  let last = coreTimes();
  const sample = (): void => {
    const now = coreTimes();
    const shares = now.map((core, i) => {
      const before = last[i] ?? { busy: 0, all: 0 };
      const passed = core.all - before.all;
      return passed > 0 ? clamp((core.busy - before.busy) / passed, 0, 1) : Number.NaN;
    });
    last = now;
    // The counters of the system advance in ticks: a sample that is shorter than a tick has no finite shares.
    if (shares.length > 0 && shares.every(Number.isFinite)) busy.push(shares);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    sample();
    return busy;
  };
}
