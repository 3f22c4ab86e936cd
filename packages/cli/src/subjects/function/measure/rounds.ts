/**
 * The rounds: in each, the calling thread and every setting of the pool are measured in turn, so that what changes on the machine
 * changes all of them. What a round did not finish is left out.
 */
import type { Failure } from '../../../experiment/child.js';
import { isTight, openAll } from '../../../experiment/lane.js';
import { ENOUGH_ROUNDS } from '../../../experiment/rules.js';
import { type Inline, inlineSamples, noteInlineFailure } from './inline-step.js';
import {
  affordable,
  coldRounds,
  costOf,
  latestEndMs,
  planRounds,
  type RoundsPlan,
  warmMsFor,
} from './schedule.js';
import { type Draft, type FunctionSession, laneOf, type ProbeLane, type Slice } from './session.js';
import { poolSamples, type Setting, type Settings } from './settings.js';

/** A process with a pool of its own, from the start until it is ready. Milliseconds. */
const OPEN_MS = 200;
/** What a thread holds before it does anything: generous, since the alternative is to be killed. */
const THREAD_BYTES = 16 * 2 ** 20;

interface Measured {
  readonly setting: Setting;
  readonly lane: ProbeLane<'pool'>;
  readonly slices: Slice<'pool'>[];
}

export interface RoundsContext {
  readonly session: FunctionSession;
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
  /** What the plan leaves for it; and until when it may go on as long as there are not enough rounds. */
  readonly #end: number;
  readonly #latestEnd: number;
  readonly #plan: RoundsPlan;
  readonly #lanes: readonly Measured[];
  readonly #inline: Slice<'inline'>[] = [];
  readonly #isTight: boolean;
  readonly #warmMs: number;
  #complete = 0;
  /** So many lanes, most important first, are measured in the next round. */
  #wanted: number;

  constructor(context: RoundsContext, timeMs: number) {
    const { settings, inline, session } = context;
    this.#context = context;
    this.#end = performance.now() + timeMs;
    this.#latestEnd = performance.now() + latestEndMs(session.remainingMs, session.plan.budgetMs);
    this.#warmMs = warmMsFor(timeMs, settings.all.length + 1);
    this.#plan = planRounds({
      timeMs,
      callMs: inline.warm.callMs,
      openMs: OPEN_MS + this.#warmMs,
      needed: settings.needed + 1,
      wished: settings.all.length - settings.needed,
    });
    const chosen = settings.all.slice(0, this.#plan.settings - 1);
    const threads = chosen.reduce((sum, { setup }) => sum + setup.threads, 0);
    this.#isTight = isTight(chosen.length, threads * THREAD_BYTES, context.draft.machine.memoryBytes);
    this.#lanes = chosen.map((setting) => ({ setting, slices: [], lane: this.#laneOf(setting) }));
    this.#wanted = chosen.length;
    for (const { what } of settings.all.slice(chosen.length)) session.skipForTime(what);
  }

  async run(): Promise<void> {
    if (!this.#isTight) await this.#openAll();
    for (let round = 0; await this.#round(round); round++);
    for (const { lane } of this.#lanes) await lane.close();
    this.#write();
  }

  #laneOf(setting: Setting): Measured['lane'] {
    const { session, inputs, inline, draft } = this.#context;
    return laneOf(session, 'pool', {
      what: setting.what,
      setup: { ...setting.setup, inputs, warmMs: this.#warmMs },
      openMs: this.#warmMs + inline.warm.callMs,
      isTight: this.#isTight,
      check: ({ calls, failed, firstFailure }) => (failed === calls ? failureOf(firstFailure) : undefined),
      onFailure: (failure) => {
        // By the system, where memory is short, or by itself: only the latter is the function's doing.
        if (failure.kind !== 'ended' || failure.signal === 'SIGKILL') return;
        draft.behaviour.endedInWorker ??= { exitCode: failure.exitCode, signal: failure.signal };
      },
    });
  }

  /** Those that are needed first: on a busy machine there is no time for more. */
  async #openAll(): Promise<void> {
    const { needed } = this.#context.settings;
    const begin = performance.now();
    await openAll(this.#lanes.slice(0, needed).map(({ lane }) => lane));
    const eachMs = (performance.now() - begin) / Math.max(1, needed);
    const { callMs } = this.#context.inline.warm;
    const roundMs = ENOUGH_ROUNDS * costOf(this.#plan.sliceMs, callMs);
    const restMs = this.#end - performance.now() - (needed + 1) * roundMs;
    const more = Math.max(0, Math.floor(restMs / (eachMs + roundMs)));
    this.#limitTo(Math.min(this.#lanes.length, needed + more));
    await openAll(this.#lanes.slice(needed, this.#wanted).map(({ lane }) => lane));
  }

  /** Without the least important of them. */
  #limitTo(wanted: number): void {
    for (const { setting, slices } of this.#lanes.slice(wanted, this.#wanted)) {
      if (slices.length < ENOUGH_ROUNDS) this.#context.session.skipForTime(setting.what);
    }
    this.#wanted = wanted;
  }

  /** Whether there is to be another one. */
  async #round(round: number): Promise<boolean> {
    const { session } = this.#context;
    const begin = performance.now();
    session.say(`round ${round + 1} of ${Math.max(this.#plan.rounds, round + 1)}`);
    if (!(await this.#inlineSlice())) return false;
    for (const each of this.#lanes.slice(0, this.#wanted)) {
      if (!(await this.#slice(each))) return false;
    }
    this.#complete += 1;
    return this.#isRoomForNext(performance.now() - begin);
  }

  #isRoomForNext(roundMs: number): boolean {
    // For each that was cold there is to be another one.
    const missing = ENOUGH_ROUNDS + this.#cold() - this.#complete;
    if (missing <= 0 && this.#complete >= this.#plan.rounds) return false;
    const restMs = (missing > 0 ? this.#latestEnd : this.#end) - performance.now();
    // The calling thread is one more.
    const settings = this.#wanted + 1;
    if (missing > 0) {
      const needed = this.#context.settings.needed + 1;
      const time = { roundMs, rounds: missing, timeMs: restMs };
      this.#limitTo(affordable({ settings, needed }, time) - 1);
    }
    if ((roundMs * (this.#wanted + 1)) / settings <= restMs) return true;
    if (this.#complete < ENOUGH_ROUNDS) this.#context.session.cutShort();
    return false;
  }

  #cold(): number {
    const needed = this.#lanes.slice(0, this.#context.settings.needed);
    return coldRounds(needed.map(({ slices }) => slices.map(({ rate }) => rate)));
  }

  async #inlineSlice(): Promise<boolean> {
    const { session, draft, inline } = this.#context;
    const { sliceMs } = this.#plan;
    const step = { ms: sliceMs, sizes: inline.sizes.map(({ index }) => index) };
    const expectedMs = sliceMs + inline.warm.callMs * (1 + inline.sizes.length);
    const outcome = await inline.probe.ask('step', step, session.patience(expectedMs));
    if (outcome.kind === 'done') this.#inline.push(outcome.value);
    else noteInlineFailure(session, draft, outcome);
    return outcome.kind === 'done';
  }

  /** Whether the round can go on: it can do without this one. */
  async #slice({ lane, slices }: Measured): Promise<boolean> {
    const { session, inline } = this.#context;
    if (session.isOver) return false;
    const ms = this.#plan.sliceMs;
    const slice = await lane.step({ ms }, ms + 2 * inline.warm.callMs);
    if (slice !== undefined) slices.push(slice);
    return slice !== undefined || !session.isAborted;
  }

  /** Of the time of all cores that the rounds took, what other programs had; undefined: the system does not tell. */
  #othersShare(first: number, rounds: number): number | undefined {
    const slices: readonly (readonly Pick<Slice<'pool'>, 'shared'>[])[] = [
      this.#inline,
      ...this.#lanes.map((lane) => lane.slices),
    ];
    const known = slices.flatMap((each) => each.slice(first, rounds)).flatMap(({ shared }) => shared ?? []);
    const coresMs = known.reduce((sum, each) => sum + each.coresMs, 0);
    const othersMs = known.reduce((sum, each) => sum + each.othersMs, 0);
    return coresMs === 0 ? undefined : Math.min(1, Math.max(0, othersMs / coresMs));
  }

  #write(): void {
    const { draft, inline, session } = this.#context;
    if (this.#complete < this.#plan.rounds && this.#complete === 0) session.cutShort();
    // Better an unfinished round than none.
    const rounds = Math.max(1, this.#complete);
    // Where there are enough without those that were cold, and the first is, they are left out of all.
    const first = Math.min(Math.max(1, this.#cold()), Math.max(0, rounds - ENOUGH_ROUNDS));
    Object.assign(draft.inline, inlineSamples(this.#inline.slice(first, rounds), inline.sizes));
    draft.machine = { ...draft.machine, othersShare: this.#othersShare(first, rounds) };
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
