/** Which ways are tried: all that differ little from the usual one, or many at random, or one step by step. */
import { type Explored, everyWay, manyWays, type Random, watchAtomics } from '../../interleaving.case.js';
import type { Step } from './hand.case.js';
import { type Decisions, stepOf, World, type WorldOptions } from './world.case.js';

type Run = (options: WorldOptions, decisions: Decisions) => string;

/** Watches the accesses of one world after the other. */
function watched(explore: (run: Run) => Explored): Explored {
  let world: World | undefined;
  const restore = watchAtomics({
    before: (...access) => world?.before(...access),
    after: (...access) => world?.after(...access),
  });
  try {
    return explore((options, decisions) => {
      world = undefined;
      world = new World(options, decisions);
      return world.run();
    });
  } finally {
    restore();
  }
}

/**
 * Takes the steps that a script asks for, as long as it asks. `quiet`: the usual ones, until only plans are left.
 * `w0 rests while main offer a`: the second while the first spins.
 */
class Script {
  readonly #left: string[];
  #interlude: string | undefined;

  constructor(script: readonly string[]) {
    this.#left = [...script];
  }

  next(steps: readonly Step[]): number | undefined {
    if (this.#left[0] === 'quiet' && !steps[0]!.isPlanned) return 0;
    if (this.#left[0] === 'quiet') this.#left.shift();
    const wanted = this.#left.shift();
    if (wanted === undefined) return undefined;
    const [what = '', interlude] = wanted.split(' while ');
    this.#interlude = interlude;
    return steps.indexOf(stepOf(steps, what));
  }

  interlude(): string | undefined {
    const interlude = this.#interlude;
    this.#interlude = undefined;
    return interlude;
  }
}

/** What is tried out of all the ways in which things can go. */
export interface Scope {
  /** Steps that come first, always. */
  readonly script?: readonly string[];
  /** At so many points, at the most, things go other than usual. */
  readonly most: number;
  /** They are among so many points after the script: each access is one, and each end of a step. */
  readonly within?: number;
}

/** All ways within a scope. The usual way: main does what it has planned next when nobody has anything else to do. */
export function exploreAll(options: WorldOptions, scope: Scope): Explored {
  const { script = [], most, within = Number.POSITIVE_INFINITY } = scope;
  return watched((run) =>
    everyWay((choose) => {
      let [left, points] = [0, within];
      const decide = (count: number): number => {
        if (left === 0 || points-- <= 0) return 0;
        const chosen = choose(count);
        if (chosen > 0) left--;
        return chosen;
      };
      const first = new Script(script);
      let isScripted = true;
      const next = (steps: readonly Step[]): number => {
        const chosen = isScripted ? first.next(steps) : undefined;
        if (chosen !== undefined) return chosen;
        if (isScripted) left = most;
        isScripted = false;
        return decide(steps.length);
      };
      return run(options, {
        next,
        dies: () => decide(2) === 1,
        asks: () => left > 0 && points > 0,
        other: (count) => decide(count + 1),
        rest: () => {
          left = 0;
        },
        interlude: () => first.interlude(),
      });
    }),
  );
}

/** One way: the steps of the script, such as `w0 looks` or `main offer a`, and then the usual ones. */
export function play(options: WorldOptions, script: readonly string[] = []): void {
  exploreAll(options, { script, most: 0 });
}

/** Shares of the accesses to shared words at which others come first, or the worker dies. */
export interface Odds {
  readonly other: number;
  readonly death: number;
}

/** Ways chosen at random. */
export function exploreSome(
  runs: number,
  seed: number,
  odds: Odds,
  make: (random: Random) => WorldOptions,
): Explored {
  return watched((run) =>
    manyWays(runs, seed, (random) =>
      run(make(random), {
        next: ({ length }) => random.below(length),
        dies: () => random.next() < odds.death,
        asks: () => random.next() < odds.other,
        other: (count) => 1 + random.below(count),
        rest: () => undefined,
        interlude: () => undefined,
      }),
    ),
  );
}
