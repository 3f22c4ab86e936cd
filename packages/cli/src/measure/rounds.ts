/**
 * The rounds: in each, the calling thread and every setting of the pool are measured in turn, so that what changes on the machine
 * changes all of them. What a round did not finish is left out.
 */
import type { Draft } from './draft.js';
import { type Inline, inlineSamples, noteInlineFailure } from './inline-step.js';
import type { InlineSlice, PoolSlice } from './probe/protocol.js';
import { describeFailure, type Failure, type Outcome, type Probe } from './probe-client.js';
import { planRounds, type RoundsPlan, warmMsFor } from './schedule.js';
import type { Session } from './session.js';
import { poolSamples, type Setting, type Settings } from './settings.js';

/** A process with a pool of its own, from the start until it is ready. Milliseconds. */
const OPEN_MS = 200;
/** What they hold before they do anything: generous, since the alternative is to be killed. */
const PROCESS_BYTES = 60 * 2 ** 20;
const THREAD_BYTES = 16 * 2 ** 20;
/** Of all memory, so much may be taken by processes that wait for their turn. */
const MEMORY_SHARE = 0.5;
/** The interval of a median needs so many for 95 %. */
const ENOUGH_ROUNDS = 6;
/** So many are started at a time. */
const STARTS = 2;

interface Lane {
  readonly setting: Setting;
  readonly slices: PoolSlice[];
  probe: Probe<'pool'> | undefined;
  isDead: boolean;
}

export interface RoundsContext {
  readonly session: Session;
  readonly draft: Draft;
  readonly inline: Inline;
  readonly settings: Settings;
  readonly inputs: readonly unknown[];
}

export async function measureRounds(context: RoundsContext): Promise<void> {
  const timeMs = context.session.begin('rounds', 'rounds');
  if (timeMs !== undefined) await new Rounds(context, timeMs).run();
}

class Rounds {
  readonly #context: RoundsContext;
  readonly #end: number;
  readonly #plan: RoundsPlan;
  readonly #lanes: readonly Lane[];
  readonly #inline: InlineSlice[] = [];
  /** There is not enough memory for all processes at once: each is started anew for its turn. */
  readonly #isTight: boolean;
  readonly #warmMs: number;
  #complete = 0;

  constructor(context: RoundsContext, timeMs: number) {
    const { settings, inline } = context;
    this.#context = context;
    this.#end = performance.now() + timeMs;
    this.#warmMs = warmMsFor(timeMs, settings.all.length + 1);
    this.#plan = planRounds({
      timeMs,
      callMs: inline.warm.callMs,
      openMs: OPEN_MS + this.#warmMs,
      needed: settings.needed + 1,
      wished: settings.all.length - settings.needed,
    });
    const chosen = settings.all.slice(0, this.#plan.settings - 1);
    this.#lanes = chosen.map((setting) => ({ setting, slices: [], probe: undefined, isDead: false }));
    for (const { what } of settings.all.slice(chosen.length)) context.session.skipForTime(what);
    const wanted = chosen.reduce((sum, { setup }) => sum + PROCESS_BYTES + setup.threads * THREAD_BYTES, 0);
    this.#isTight = wanted > MEMORY_SHARE * context.draft.machine.memoryBytes;
  }

  async run(): Promise<void> {
    if (!this.#isTight) await this.#openAll();
    for (let round = 0; round < this.#plan.rounds && (await this.#round(round)); round++);
    for (const lane of this.#lanes) await this.#close(lane);
    this.#write();
  }

  async #openAll(): Promise<void> {
    const waiting = [...this.#lanes];
    const starter = async (): Promise<void> => {
      for (let lane = waiting.shift(); lane !== undefined; lane = waiting.shift()) await this.#open(lane);
    };
    await Promise.all(Array.from({ length: STARTS }, starter));
  }

  async #open(lane: Lane): Promise<void> {
    const { session, inputs, inline } = this.#context;
    if (session.plan.signal.aborted) return;
    session.say(lane.setting.what);
    lane.probe = session.start('pool');
    const setup = { ...lane.setting.setup, inputs, warmMs: this.#warmMs };
    const outcome = await lane.probe.open(setup, session.patience(this.#warmMs + inline.warm.callMs));
    if (outcome.kind !== 'done') return this.#bury(lane, outcome);
    const { calls, failed, firstFailure } = outcome.value;
    if (failed === calls) this.#bury(lane, failureOf(firstFailure));
  }

  async #close(lane: Lane): Promise<void> {
    const { probe } = lane;
    lane.probe = undefined;
    if (probe !== undefined) await this.#context.session.end(probe);
  }

  #bury(lane: Lane, failure: Failure): void {
    lane.isDead = true;
    if (failure.kind === 'aborted') return;
    const { behaviour } = this.#context.draft;
    // By the system, where memory is short, or by itself: only the latter is the function's doing.
    if (failure.kind === 'ended' && failure.signal !== 'SIGKILL') {
      behaviour.endedInWorker ??= { exitCode: failure.exitCode, signal: failure.signal };
    }
    this.#context.session.skip(lane.setting.what, describeFailure(failure));
  }

  /** Whether there is to be another one. */
  async #round(round: number): Promise<boolean> {
    const { session } = this.#context;
    const begin = performance.now();
    session.say(`round ${round + 1} of ${this.#plan.rounds}`);
    if (!(await this.#inlineSlice())) return false;
    for (const lane of this.#lanes) {
      if (!(await this.#slice(lane))) return false;
    }
    this.#complete += 1;
    const now = performance.now();
    const isLast = now + (now - begin) > this.#end && round + 1 < this.#plan.rounds;
    if (isLast && this.#complete < ENOUGH_ROUNDS) session.cutShort();
    return !isLast;
  }

  async #inlineSlice(): Promise<boolean> {
    const { session, draft, inline } = this.#context;
    const { sliceMs } = this.#plan;
    const step = { ms: sliceMs, sizes: inline.sizes.map(({ index }) => index) };
    const expectedMs = sliceMs + inline.warm.callMs * (1 + inline.sizes.length);
    const outcome = await inline.probe.step(step, session.patience(expectedMs));
    if (outcome.kind === 'done') this.#inline.push(outcome.value);
    else noteInlineFailure(session, draft, outcome);
    return outcome.kind === 'done';
  }

  /** Whether the round can go on: it can do without this one. */
  async #slice(lane: Lane): Promise<boolean> {
    const { session, inline } = this.#context;
    if (session.isOver) return false;
    if (this.#isTight && !lane.isDead) await this.#open(lane);
    if (lane.isDead || lane.probe === undefined) return !session.plan.signal.aborted;
    const ms = this.#plan.sliceMs;
    const outcome: Outcome<PoolSlice> = await lane.probe.step(
      { ms },
      session.patience(ms + 2 * inline.warm.callMs),
    );
    if (this.#isTight) await this.#close(lane);
    if (outcome.kind === 'done') lane.slices.push(outcome.value);
    else this.#bury(lane, outcome);
    return outcome.kind !== 'aborted';
  }

  #write(): void {
    const { draft, inline, session } = this.#context;
    if (this.#complete < this.#plan.rounds && this.#complete === 0) session.cutShort();
    // Better an unfinished round than none.
    const rounds = Math.max(1, this.#complete);
    // The first is the coldest: where there are enough without it, it is left out of all.
    const first = rounds > ENOUGH_ROUNDS ? 1 : 0;
    Object.assign(draft.inline, inlineSamples(this.#inline.slice(first, rounds), inline.sizes));
    const measured = this.#lanes.filter(({ slices }) => slices.length > first);
    const all = measured.map(({ setting, slices }) => ({
      variant: setting.variant,
      samples: poolSamples(setting.setup.threads, slices.slice(first, rounds)),
    }));
    draft.threads = all
      .flatMap(({ variant, samples }) => (variant === undefined ? [samples] : []))
      .sort((a, b) => a.threads - b.threads);
    draft.variants = all.flatMap(({ variant, samples }) =>
      variant === undefined ? [] : [{ ...variant, ...samples }],
    );
  }
}

function failureOf(first: string | undefined): Failure {
  const message = `every call fails: ${first}`;
  return { kind: 'failed', error: { name: 'Error', message, code: undefined } };
}
