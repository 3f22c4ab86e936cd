/**
 * Goes through all orders of the steps of a few threads, where each access to a shared word is a step; also through those in which two
 * threads are in the middle of something, which `transport/interleaving.case.ts` leaves out. For each step, a thread is run anew: its
 * accesses give what they gave before, it makes one more, and is stopped there. States that were seen are not explored again. So the code
 * must depend on what its accesses give and on nothing else.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Random } from '../transport/interleaving.case.js';
import type { Sleep, Steps } from './waiting.js';

/** Runs steps in the explorer, instead of `blocking` and `awaiting` of waiting.ts. */
export type Run = <T>(steps: Steps<T>) => T;

export interface Actor {
  /** The thread's number, as in ended-threads.ts. */
  readonly number: number;
  /**
   * A turn of the thread: gets how many turns it has behind it and what came of them, and returns what has come of them now;
   * `undefined` when it has no more to do.
   */
  readonly turn: (run: Run, turns: number, result: string) => string | undefined;
}

export interface Play {
  readonly words: Int32Array;
  readonly actors: readonly Actor[];
  /** Words that only the holder of a lock looks at: an access to one belongs to the step before it. */
  readonly guarded?: readonly number[];
  /** Words after a sleep on which a thread begins its turn anew, and remembers nothing. */
  readonly restarts?: readonly number[];
  /** How many of the threads may die, at any moment. Default 0. */
  readonly deaths?: number;
  /** Words on which a thread may sleep for ever because another one has died. */
  readonly isDesertedAt?: readonly number[];
  /** Whether a sleeping thread may run into its timeout, at any moment. */
  readonly timesOut?: boolean;
  /** Where all orders are too many: how many are explored, chosen at random, always the same. Default: all. */
  readonly walks?: number;
}

interface ActorState {
  readonly turns: number;
  /** What its accesses gave in this turn. */
  readonly log: readonly unknown[];
  readonly phase: 'awake' | 'asleep' | 'done' | 'dead' | 'known to be dead';
  readonly result: string;
  /** The word and the value that it sleeps on; and how many deaths were known when it last woke up. */
  readonly at: number;
  readonly value: number;
  readonly known: number;
}

interface State {
  readonly words: readonly number[];
  readonly actors: readonly ActorState[];
  /** The sleeping threads, the longest asleep first; a dead one among them takes a notification with it. */
  readonly sleepers: readonly number[];
}

export interface Seen {
  readonly states: number;
  /** The results of all threads, in their order: those of a dead one are `dead`. */
  readonly endings: ReadonlySet<string>;
}

/** Thrown to stop a thread behind its step. */
class Paused extends Error {}

const NAMES = ['load', 'store', 'add', 'exchange', 'compareExchange', 'notify'] as const;
const LATE = new Error('late');

export function everyOrder(play: Play): Seen {
  const {
    words: shared,
    actors,
    guarded = [],
    restarts = [],
    deaths = 0,
    isDesertedAt = [],
    timesOut = false,
    walks = 0,
  } = play;
  const original = Object.fromEntries(NAMES.map((name) => [name, Atomics[name]]));
  /** Of the thread that takes its step: its log, how much of that was read, whether its step is yet to come, whether it is stopped. */
  let [log, read, isFree, isPaused]: [unknown[], number, boolean, boolean] = [[], 0, false, false];
  let state: State;

  const access = (perform: () => unknown, isStep = true): unknown => {
    if (read < log.length) return log[read++];
    isPaused ||= isStep && !isFree;
    if (isPaused) throw new Paused();
    if (isStep) isFree = false;
    const result = perform();
    log.push(result);
    read++;
    return result;
  };
  const fake = (name: (typeof NAMES)[number]) => {
    const real = Atomics[name] as (...args: unknown[]) => unknown;
    return (array: Int32Array, ...args: number[]) => {
      // All other memory is the table of ended-threads.ts, where a thread that has ended is in both halves of a word.
      if (array !== shared) {
        return BigInt(access(() => knownAt(args[0]!, array.length), deaths > 0) as number) * 0x1_0000_0001n;
      }
      const perform = () => (name === 'notify' ? notified(args) : real(array, ...args));
      return access(perform, !guarded.includes(args[0]!));
    };
  };
  const isKnown = ({ phase }: ActorState) => phase === 'known to be dead';
  const knownCount = () => state.actors.filter(isKnown).length;
  const knownAt = (place: number, places: number) =>
    actors.find(({ number }, i) => isKnown(state.actors[i]!) && number % places === place)?.number ?? 0;
  const notified = ([at, howMany = Number.POSITIVE_INFINITY]: number[]): number => {
    const woken = state.sleepers.filter((i) => state.actors[i]!.at === at).slice(0, howMany);
    const sleepers = state.sleepers.filter((i) => !woken.includes(i));
    for (const i of woken) if (state.actors[i]!.phase === 'asleep') change(i, awake(state.actors[i]!, 'ok'));
    state = { ...state, sleepers };
    return woken.length;
  };
  const awake = (actor: ActorState, why: string): ActorState => ({
    ...actor,
    phase: 'awake',
    known: knownCount(),
    log: restarts.includes(actor.at) ? [] : [...actor.log, why],
  });
  const change = (i: number, actor: ActorState) => {
    state = { ...state, actors: state.actors.with(i, actor) };
  };

  /** Falling asleep is one step; hearing why it woke up is the next. */
  const sleep = (i: number, { at, value }: Sleep): unknown => {
    const isAsleep = access(() => {
      if (shared[at] !== value) return false;
      change(i, { ...state.actors[i]!, phase: 'asleep', at, value });
      state = { ...state, sleepers: [...state.sleepers, i] };
      return true;
    });
    if (isAsleep) return access(() => assert.fail('it goes on while it sleeps'));
    if (restarts.includes(at)) [log, read] = [[], 0];
    return 'not-equal';
  };
  const runner =
    (i: number) =>
    <T>(steps: Steps<T>): T => {
      for (let step = steps.next(); ;) {
        if (step.done) return step.value;
        step = sleep(i, step.value) === 'late' ? steps.throw(LATE) : steps.next();
      }
    };

  /** Has a thread take one step more, after its accesses have given again what they gave before. */
  const stepOf = (i: number) => {
    let { turns, result } = state.actors[i]!;
    [log, read, isFree, isPaused] = [[...state.actors[i]!.log], 0, true, false];
    for (;;) {
      let after: string | undefined;
      try {
        after = actors[i]!.turn(runner(i), turns, result);
      } catch (error) {
        if (!isPaused) throw error;
      }
      // The turn may have caught `Paused`, as it does errors of its own.
      if (isPaused) return change(i, { ...state.actors[i]!, turns, result, log });
      if (after === undefined) return change(i, { ...begin, phase: 'done', result });
      [turns, result, log, read] = [turns + 1, after, [], 0];
    }
  };

  /** The steps that can come next. A sleeping thread looks only if another one has died since, or its word has changed after a death. */
  function* next(): Generator<() => void> {
    const dead = state.actors.filter(({ phase }) => phase.endsWith('dead')).length;
    for (const [i, actor] of state.actors.entries()) {
      if (actor.phase === 'awake') yield () => stepOf(i);
      if (actor.phase === 'dead') yield () => change(i, { ...actor, phase: 'known to be dead' });
      if (['awake', 'asleep'].includes(actor.phase) && dead < deaths) {
        yield () => change(i, { ...actor, phase: 'dead', result: 'dead' });
      }
      if (actor.phase !== 'asleep') continue;
      const wake = (why: string) => () => {
        change(i, awake(actor, why));
        state = { ...state, sleepers: state.sleepers.filter((each) => each !== i) };
      };
      const isNew = actor.known < knownCount() || (dead > 0 && state.words[actor.at] !== actor.value);
      if (isNew) yield wake('timed-out');
      if (timesOut) yield wake('late');
    }
  }

  const begin: ActorState = { turns: 0, log: [], phase: 'awake', result: '', at: 0, value: 0, known: 0 };
  const first: State = { words: [...shared], actors: actors.map(() => begin), sleepers: [] };
  const seen = new Set<string>();
  const endings = new Set<string>();
  /** The steps that can come after a state; if there are none, nobody may still be waiting. */
  const stepsFrom = (from: State) => {
    state = from;
    const steps = [...next()];
    const isOver = ({ phase }: ActorState) => phase === 'done' || phase.endsWith('dead');
    if (steps.length === 0 || from.actors.every(isOver)) {
      const mayStay = from.actors.some(({ phase }) => phase.endsWith('dead')) ? isDesertedAt : [];
      const stuck = from.actors.filter(({ phase, at }) => phase === 'asleep' && !mayStay.includes(at));
      assert.deepEqual(stuck, [], `nobody wakes them: ${JSON.stringify(from)}`);
      endings.add(from.actors.map(({ result }) => result).join(' '));
    }
    return steps;
  };
  const after = (from: State, step: () => void): State => {
    state = from;
    shared.set(from.words);
    step();
    return { ...state, words: [...shared] };
  };
  Object.assign(Atomics, Object.fromEntries(NAMES.map((name) => [name, fake(name)])));
  try {
    for (let walk = 1; walk <= walks; walk++) {
      const random = new Random(walk);
      let from = first;
      for (let steps = stepsFrom(from); steps.length > 0; steps = stepsFrom(from)) {
        from = after(from, random.pick(steps));
      }
    }
    const open = walks > 0 ? [] : [first];
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      for (const step of stepsFrom(from)) {
        const reached = after(from, step);
        const key = createHash('sha1').update(JSON.stringify(reached)).digest('base64');
        if (!seen.has(key)) open.push(reached);
        seen.add(key);
      }
    }
  } finally {
    Object.assign(Atomics, original);
  }
  return { states: seen.size, endings };
}
