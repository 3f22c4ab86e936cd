/** What takes turns in the rounds of a function: the calling thread, with which all others are compared, and settings of the pool. */
import { sum } from 'd3-array';
import { isTight } from '../../../experiment/lane.js';
import { type Look, Rounds, type Turn } from '../../../experiment/rounds.js';
import { ENOUGH_ROUNDS } from '../../../experiment/rules.js';
import { clamp } from '../../../experiment/session.js';
import { seriesOf, spreadOf } from '../../../experiment/statistics.js';
import type { PoolSetup } from '../probe/pool.js';
import { POOL_SERIES, type Samples, type VariantSamples } from '../rules/samples.js';
import { endingOf, type Inline, type Subject } from './behaviour-step.js';
import * as schedule from './schedule.js';
import type { FunctionSession, Opened, Slice } from './session.js';

export type Settings = ReturnType<typeof settingsOf>;

/** About how many bytes the path of a file takes. */
const NAME_BYTES = 128;

export function settingsOf(
  { draft, bytesOfCall }: FunctionSession,
  { reference }: Subject,
  { callMs, idleDelayMs }: Opened<'inline'>,
  cores: number,
  maxThreads: number,
) {
  const most = Math.min(cores, maxThreads);
  const setting = (what: string, threads: number, way: Pick<PoolSetup, 'name' | 'size'> = {}) => {
    const isPlain = way.size === undefined;
    const outstanding = isPlain ? schedule.outstandingFor(callMs, threads, bytesOfCall) : 4 * threads;
    const isLong = isPlain && schedule.isLong(callMs);
    return { what, setup: { subject: reference, threads, ...way, outstanding, isLong, idleDelayMs } };
  };
  const plain = (threads: number) => setting(threads === 1 ? '1 thread' : `${threads} threads`, threads);
  // Async calls are not batched: the task that makes them does not await them.
  const sizeFor = (bytes: number) =>
    draft.behaviour.returnsPromise ? undefined : schedule.batchSize(callMs, bytes);
  const isRead = reference.passing === 'read';
  const size = isRead ? undefined : sizeFor(draft.inline.bytesIn?.mean ?? 0);
  const { upToCores, beyond } = schedule.threadCounts(cores, maxThreads);
  // Where inputs are files, it matters for the verdict whether the caller or the workers read them. A caller that lets workers read has a
  // list of paths: where calls are short, many paths cross in one call.
  const read = { name: 'read', size: sizeFor(NAME_BYTES) } as const;
  const needed = [
    ...upToCores.map(plain),
    ...(isRead ? [setting('reading in the workers', most, read)] : []),
  ];
  const others = [
    setting("placement 'auto'", most, { name: 'auto' }),
    ...(size === undefined ? [] : [setting('batches', most, { name: 'batch', size })]),
    ...(isRead ? [setting('leases', most, { name: 'lease' })] : []),
  ];
  /** Most important first. Without the first `needed` of them there is no verdict. */
  const all = [...needed, ...others, ...beyond.map(plain)];
  return { all, needed: needed.length };
}

/** How many milliseconds a process takes until its pool is ready, before it is warmed up. */
const POOL_OPEN_MS = 200;
/** How many milliseconds a turn takes besides its calls: the hand-over between processes. */
const HAND_OVER_MS = 8;
/** How many bytes a thread takes before it does anything: a generous guess, since too little memory means being killed. */
const THREAD_BYTES = 16 * 2 ** 20;

type AnySlice = Slice<'inline'> | Slice<'pool'>;

/** Undefined: there is no time. @param look gives the answer so far, by the draft; undefined: the rounds go on as long as there is time */
export function roundsOf(
  session: FunctionSession,
  inline: Inline,
  settings: Settings,
  inputs: readonly unknown[],
  look: Look | undefined,
) {
  const timeMs = session.begin('rounds');
  if (timeMs === undefined) return undefined;
  const endMs = session.now() + timeMs;
  const { all, needed } = settings;
  const warmMs = schedule.warmMsFor(timeMs, all.length + 1);
  const openMs = POOL_OPEN_MS + warmMs;
  const { callMs } = inline.warm;
  const threads = sum(all, ({ setup }) => setup.threads);
  const tight = isTight(all.length, threads * THREAD_BYTES, session.draft.machine.memoryBytes);
  const lanes = all.map(({ what, setup }) =>
    session.lane('pool', {
      what,
      setup: { ...setup, inputs, warmMs },
      openMs: warmMs + callMs,
      isTight: tight,
      onFailure: (failure) => {
        // The system sends SIGKILL where memory is short: that is not the function's doing.
        const ending = endingOf(failure);
        if (ending?.signal !== 'SIGKILL') session.draft.behaviour.endedInWorker ??= ending;
      },
    }),
  );
  const sizes = inline.sizes.map(({ index }) => index);
  const alone = inline.lane.turn(({ ms }) => ({ ms, sizes }), callMs * (1 + sizes.length));
  const turns: readonly Turn<AnySlice>[] = [
    { ...alone, isBase: true },
    ...lanes.map((lane) => lane.turn(({ ms }) => ({ ms }), 2 * callMs)),
  ];
  const write = (): void => {
    const all = turns.map((turn) => rounds.of(turn));
    writeDraft(session, inline, settings, all as Taken);
  };
  const lookAgain = (): string | undefined => {
    write();
    return look?.();
  };
  const rounds = new Rounds<AnySlice>({
    session,
    turns,
    needed: needed + 1,
    slice: schedule.slicesFor(timeMs - turns.length * openMs, callMs, turns.length),
    overheadMs: callMs + HAND_OVER_MS,
    openMs,
    // The first round counts as cold even if its rates look steady, because V8 still compiles code in it.
    coldOf: (all) => Math.max(1, schedule.coldRounds(all.map((slices) => slices.map(({ rate }) => rate)))),
    // Where only the calling thread is measured, there is nothing to compare, and more rounds would tell nothing.
    most: all.length === 0 ? ENOUGH_ROUNDS + 1 : undefined,
    look: look && lookAgain,
  });
  const latestMs = () => session.now() + schedule.latestEndMs(session.remainingMs, session.plan.budgetMs);
  return {
    async run(): Promise<void> {
      await rounds.run({ endMs, latestMs: latestMs() });
      write();
    },
    /** Makes more rounds while the answer is in doubt and there is time, then ends the pools' processes. Returns whether there were more. */
    async finish(): Promise<boolean> {
      const before = rounds.complete;
      await rounds.run({ endMs: latestMs() });
      for (const lane of lanes) await lane.close();
      rounds.finish();
      write();
      return rounds.complete > before;
    },
  };
}

/** The slices of the calling thread, and those of each setting. */
type Taken = [alone: Slice<'inline'>[], ...pools: Slice<'pool'>[][]];

/** Notes what was measured so far. */
function writeDraft({ draft }: FunctionSession, inline: Inline, settings: Settings, all: Taken): void {
  const [alone, ...pools] = all;
  Object.assign(draft.inline, {
    callMs: spreadOf(alone.flatMap(({ callMs }) => callMs)),
    ...seriesOf(alone, 'rate', 'cpuMs', 'loopDelayMs', 'garbageShare', 'wantedCores'),
    bySize: inline.sizes.map(({ bytes }, i) => ({ bytes, ms: alone.map(({ sizeMs }) => sizeMs[i]!) })),
    residentBytes: alone.at(-1)?.residentBytes,
  } satisfies Partial<Samples['inline']>);
  draft.machine = { ...draft.machine, othersShare: othersShare([...alone, ...pools.flat()]) };
  const measured = settings.all.flatMap(({ setup: { name, size, threads } }, i) => {
    const own = pools[i]!;
    return own.length === 0 ? [] : [{ name, size, threads, ...seriesOf(own, ...POOL_SERIES) }];
  });
  draft.threads = measured.filter(({ name }) => name === undefined).sort((a, b) => a.threads - b.threads);
  draft.variants = measured.filter(({ name }) => name !== undefined) as readonly VariantSamples[];
}

/** The share of all cores' time that other programs had during these slices; undefined: the system does not tell. */
function othersShare(slices: readonly AnySlice[]): number | undefined {
  const coresMs = sum(slices, ({ shared }) => shared?.coresMs);
  const othersMs = sum(slices, ({ shared }) => shared?.othersMs);
  return coresMs === 0 ? undefined : clamp(othersMs / coresMs, 0, 1);
}
