/** What depends on the machine: how rates change with fewer cores, and what threads cost before they do anything. */
import type { CoreSamples } from '../rules/samples.js';
import { describeFailure } from '../../../experiment/child/ask.js';
import type { Subject } from './behaviour-step.js';
import type { Draft } from './draft.js';
import { usableCpus } from '../../../experiment/machine.js';
import { clamp, coreCounts } from './schedule.js';
import type { Session } from '../../../experiment/session.js';
import type { Settings } from './settings.js';

const WHAT = 'fewer cores';
const ROUNDS = 3;
/** A bound process has less to start with. Milliseconds. */
const OPEN_MS = 300;
const WARM_MS = 300;

/** The matrix of cores and threads. All cores were measured in the rounds, and are taken from there. */
export async function measureCores(
  session: Session,
  draft: Draft,
  settings: Settings,
  inputs: readonly unknown[],
): Promise<void> {
  const { cores } = draft.machine;
  if (cores === 1) return session.skip(WHAT, 'there is one core');
  const cpus = usableCpus();
  if (cpus === undefined)
    return session.skip(WHAT, 'a process cannot be bound to some of them here (taskset)');
  const plain = settings.all.filter(({ variant }) => variant === undefined);
  const cells = coreCounts(cores)
    .filter((count) => count < cores && count < cpus.length)
    .flatMap((count) =>
      plain.filter(({ setup }) => setup.threads <= 2 * count).map((setting) => ({ count, setting })),
    );
  const found: CoreSamples[] = [];
  const all = draft.threads.map(({ threads, rate }) => ({ cores, threads, rate }));
  const timeMs = session.begin('cores', WHAT, OPEN_MS);
  if (timeMs === undefined) return;
  const end = performance.now() + timeMs;
  const sliceMs = clamp((timeMs / cells.length - OPEN_MS - WARM_MS) / ROUNDS, 50, 200);
  for (const { count, setting } of cells) {
    const what = `${setting.what} on ${count} of ${cores} cores`;
    if (session.plan.signal.aborted) break;
    if (performance.now() + OPEN_MS + ROUNDS * sliceMs > end + OPEN_MS) {
      session.skipForTime(what);
      continue;
    }
    session.say(what);
    const probe = session.start('pool', cpus.slice(0, count));
    const opened = await probe.open(
      { ...setting.setup, inputs, warmMs: WARM_MS },
      session.patience(OPEN_MS + WARM_MS),
    );
    let failure = opened.kind === 'done' ? undefined : opened;
    const rate: number[] = [];
    for (let round = 0; round < ROUNDS && failure === undefined; round++) {
      const slice = await probe.step({ ms: sliceMs }, session.patience(sliceMs));
      if (slice.kind === 'done') rate.push(slice.value.rate);
      else failure = slice;
    }
    await session.end(probe);
    if (rate.length > 0) found.push({ cores: count, threads: setting.setup.threads, rate });
    else if (failure !== undefined && failure.kind !== 'aborted')
      session.skip(what, describeFailure(failure));
  }
  draft.cores = found.length === 0 ? [] : [...found, ...all];
}

const START_THREADS = 4;
const MOST_STARTS = 6;
const START_MS = 300;

/** Each time in a process of its own: memory that threads gave back would not count again. */
export async function measureStart(session: Session, draft: Draft, { module }: Subject): Promise<void> {
  const timeMs = session.begin('start', 'the start of threads', START_MS / 2);
  if (timeMs === undefined) return;
  const threads = Math.min(START_THREADS, draft.machine.availableThreads);
  const end = performance.now() + timeMs;
  const readyMs: number[] = [];
  const bytesPerThread: number[] = [];
  while (readyMs.length < MOST_STARTS && (readyMs.length === 0 || performance.now() < end)) {
    const probe = session.start('start');
    const outcome = await probe.open({ module, threads }, session.patience(START_MS));
    await session.end(probe);
    if (outcome.kind !== 'done') {
      if (outcome.kind !== 'aborted') session.skip('the start of threads', describeFailure(outcome));
      break;
    }
    readyMs.push(outcome.value.readyMs);
    bytesPerThread.push(outcome.value.bytesPerThread);
  }
  if (readyMs.length > 0) draft.start = { readyMs, bytesPerThread };
}
