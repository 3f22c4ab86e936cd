/** What takes its turn in the rounds of a function: the calling thread, with which all others are compared, and each setting of the pool. */
import { isTight } from '../../../experiment/lane.js';
import { type Ending, type Look, Rounds, type Turn, type Until } from '../../../experiment/rounds.js';
import { ENOUGH_ROUNDS } from '../../../experiment/rules.js';
import { type Inline, inlineSamples, noteInlineFailure } from './behaviour-step.js';
import { coldRounds, HAND_OVER_MS, latestEndMs, planRounds, warmMsFor } from './schedule.js';
import { type FunctionSession, laneOf, type ProbeLane, type Slice } from './session.js';
import type { Setting, Settings } from './settings.js';
import { seriesOf } from '../../../experiment/statistics.js';
import { POOL_SERIES } from '../rules/samples.js';

/** A process with a pool of its own, from the start until it is ready. Milliseconds. */
const OPEN_MS = 200;
/** What a thread holds before it does anything: generous, since the alternative is to be killed. */
const THREAD_BYTES = 16 * 2 ** 20;

type AnySlice = Slice<'inline'> | Slice<'pool'>;

interface Measured {
  readonly setting: Setting;
  readonly lane: ProbeLane<'pool'>;
  readonly turn: Turn<AnySlice>;
}

export interface RoundsContext {
  readonly session: FunctionSession;
  readonly inline: Inline;
  readonly settings: Settings;
  readonly inputs: readonly unknown[];
  /** By what the draft holds; undefined: the rounds go on as long as there is time. */
  readonly look?: Look | undefined;
}

/** Undefined: there is no time. */
export function roundsOf(context: RoundsContext): FunctionRounds | undefined {
  const timeMs = context.session.begin('rounds', 'rounds');
  return timeMs === undefined ? undefined : new FunctionRounds(context, timeMs);
}

class FunctionRounds {
  readonly #context: RoundsContext;
  /** What the plan leaves for it. */
  readonly #endMs: number;
  readonly #lanes: readonly Measured[];
  readonly #inline: Turn<AnySlice>;
  readonly #rounds: Rounds<AnySlice>;

  constructor(context: RoundsContext, timeMs: number) {
    const { settings, inline, session, look } = context;
    this.#context = context;
    this.#endMs = session.now() + timeMs;
    const warmMs = warmMsFor(timeMs, settings.all.length + 1);
    const openMs = OPEN_MS + warmMs;
    const { callMs } = inline.warm;
    const needed = settings.needed + 1;
    const wished = settings.all.length - settings.needed;
    const plan = planRounds({ timeMs, callMs, openMs, needed, wished });
    const chosen = settings.all.slice(0, plan.settings - 1);
    for (const { what } of settings.all.slice(chosen.length)) session.skipForTime(what);
    const threads = chosen.reduce((sum, { setup }) => sum + setup.threads, 0);
    const tight = isTight(chosen.length, threads * THREAD_BYTES, session.draft.machine.memoryBytes);
    this.#inline = this.#inlineTurn();
    this.#lanes = chosen.map((setting) => this.#measured(setting, warmMs, tight));
    this.#rounds = new Rounds<AnySlice>({
      session,
      turns: [this.#inline, ...this.#lanes.map(({ turn }) => turn)],
      needed,
      slice: { ms: plan.sliceMs, least: plan.leastMs },
      overheadMs: callMs + HAND_OVER_MS,
      openMs,
      // The first round is that of the compiler, too.
      coldOf: (series) => Math.max(1, coldRounds(series.map((slices) => slices.map(({ rate }) => rate)))),
      // With nothing to compare, more rounds tell no more.
      most: chosen.length === 0 ? ENOUGH_ROUNDS + 1 : undefined,
      look: look && (() => this.#write(look)),
    });
  }

  /** As long as the plan says, or until there are enough of them. */
  run(): Promise<Ending> {
    return this.#run({ endMs: this.#endMs, latestMs: this.#latestMs });
  }

  /** With whatever is left of the time, as long as there is a doubt. How many more rounds there were is of no interest where none was. */
  goOn(): Promise<Ending> {
    return this.#run({ endMs: this.#latestMs });
  }

  get complete(): number {
    return this.#rounds.complete;
  }

  async close(): Promise<void> {
    for (const { lane } of this.#lanes) await lane.close();
    this.#rounds.finish();
    this.#write();
  }

  get #latestMs(): number {
    const { session } = this.#context;
    return session.now() + latestEndMs(session.remainingMs, session.plan.budgetMs);
  }

  async #run(until: Until): Promise<Ending> {
    const ending = await this.#rounds.run(until);
    this.#write();
    return ending;
  }

  #inlineTurn(): Turn<AnySlice> {
    const { session, inline } = this.#context;
    const sizes = inline.sizes.map(({ index }) => index);
    return {
      what: 'the calling thread',
      isBase: true,
      take: async ({ ms }) => {
        const expectedMs = ms + inline.warm.callMs * (1 + sizes.length);
        const outcome = await inline.probe.ask('step', { ms, sizes }, session.patience(expectedMs));
        if (outcome.kind === 'done') return outcome.value;
        noteInlineFailure(session, outcome);
        return undefined;
      },
    };
  }

  #measured(setting: Setting, warmMs: number, tight: boolean): Measured {
    const { session, inputs, inline } = this.#context;
    const { callMs } = inline.warm;
    const lane = laneOf(session, 'pool', {
      what: setting.what,
      setup: { ...setting.setup, inputs, warmMs },
      openMs: warmMs + callMs,
      isTight: tight,
      check: ({ calls, failed, firstFailure }) => {
        const message = `every call fails: ${firstFailure}`;
        const error = { name: 'Error', message, code: undefined };
        return failed === calls ? { kind: 'failed', error } : undefined;
      },
      onFailure: (failure) => {
        // By the system, where memory is short, or by itself: only the latter is the function's doing.
        if (failure.kind !== 'ended' || failure.signal === 'SIGKILL') return;
        session.draft.behaviour.endedInWorker ??= { exitCode: failure.exitCode, signal: failure.signal };
      },
    });
    return { setting, lane, turn: lane.turn(({ ms }) => ({ asks: { ms }, expectedMs: ms + 2 * callMs })) };
  }

  /** Of the time of all cores that the rounds took, what other programs had; undefined: the system does not tell. */
  #othersShare(): number | undefined {
    const slices = [this.#inline, ...this.#lanes.map(({ turn }) => turn)].flatMap((turn) =>
      this.#rounds.of(turn),
    );
    const known = slices.flatMap(({ shared }) => shared ?? []);
    const coresMs = known.reduce((sum, each) => sum + each.coresMs, 0);
    const othersMs = known.reduce((sum, each) => sum + each.othersMs, 0);
    return coresMs === 0 ? undefined : Math.min(1, Math.max(0, othersMs / coresMs));
  }

  #write(look?: Look): string | undefined {
    const { session, inline } = this.#context;
    const { draft } = session;
    // The turn decides which of the slices these are.
    const own = this.#rounds.of(this.#inline) as Slice<'inline'>[];
    Object.assign(draft.inline, inlineSamples(own, inline.sizes));
    draft.machine = { ...draft.machine, othersShare: this.#othersShare() };
    const all = this.#lanes.flatMap(({ setting: { variant, setup }, turn }) => {
      const slices = this.#rounds.of(turn) as Slice<'pool'>[];
      return slices.length === 0
        ? []
        : [{ variant, samples: { threads: setup.threads, ...seriesOf(slices, ...POOL_SERIES) } }];
    });
    draft.threads = all
      .flatMap(({ variant, samples }) => (variant === undefined ? [samples] : []))
      .sort((a, b) => a.threads - b.threads);
    draft.variants = all.flatMap(({ variant, samples }) =>
      variant === undefined ? [] : [{ ...variant, ...samples }],
    );
    return look?.();
  }
}
