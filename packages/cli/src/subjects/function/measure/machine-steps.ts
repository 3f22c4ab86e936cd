/** What depends on the machine: how rates change with fewer cores, and what threads cost before they do anything. */
import { describeFailure } from '../../../experiment/child.js';
import { usableCpus } from '../../../experiment/machine.js';
import { clamp } from '../../../experiment/session.js';
import type { CoreSamples } from '../rules/samples.js';
import type { Subject } from './behaviour-step.js';
import { coreCounts } from './schedule.js';
import { type Draft, type FunctionSession, laneOf } from './session.js';
import type { Settings } from './settings.js';

const WHAT = 'fewer cores';
const ROUNDS = 3;
/** A bound process has less to start with. Milliseconds. */
const OPEN_MS = 300;
const WARM_MS = 300;

/** The matrix of cores and threads. All cores were measured in the rounds, and are taken from there. */
export async function measureCores(
  session: FunctionSession,
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
    const setup = { ...setting.setup, inputs, warmMs: WARM_MS };
    const lane = laneOf(session, 'pool', {
      what,
      setup,
      openMs: OPEN_MS + WARM_MS,
      cpus: cpus.slice(0, count),
    });
    const rate: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const slice = await lane.step({ ms: sliceMs }, sliceMs);
      if (slice !== undefined) rate.push(slice.rate);
    }
    await lane.close();
    if (rate.length > 0) found.push({ cores: count, threads: setting.setup.threads, rate });
  }
  draft.cores = found.length === 0 ? [] : [...found, ...all];
}

const START_THREADS = 4;
const MOST_STARTS = 6;
const START_MS = 300;

/** Each time in a process of its own: memory that threads gave back would not count again. */
export async function measureStart(
  session: FunctionSession,
  draft: Draft,
  { module }: Subject,
): Promise<void> {
  const timeMs = session.begin('start', 'the start of threads', START_MS / 2);
  if (timeMs === undefined) return;
  const threads = Math.min(START_THREADS, draft.machine.availableThreads);
  const end = performance.now() + timeMs;
  const readyMs: number[] = [];
  const bytesPerThread: number[] = [];
  while (readyMs.length < MOST_STARTS && (readyMs.length === 0 || performance.now() < end)) {
    const probe = session.probe('start');
    const outcome = await probe.ask('open', { module, threads }, session.patience(START_MS));
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
