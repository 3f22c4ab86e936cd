/**
 * Placement 'auto': each function runs where its calls cost less: on the calling thread ("here") as long as a call takes less time there
 * than a crossing takes processor time, else on threads. Both are measured again and again, wherever the function runs.
 */
import { RollingMedian } from '../../core/calls/crossing-meter.js';
import type { FunctionPlace, PlacedFunction, Placement } from '../../core/contracts.js';

/** How many results from workers are judged together. */
const ACROSS_CALLS = 32;
/** Timed calls on the calling thread are judged together when they took HERE_MS milliseconds in all, or are HERE_CALLS calls. */
const HERE_MS = 4;
const HERE_CALLS = 256;
/** A function leaves the calling thread when its calls cost more than this many crossings: so it does not go to and fro. */
const HYSTERESIS = 1.5;
/** How many calls in a row of a function that runs here are sent to threads, to measure what a crossing costs now. */
const EXPLORE_CALLS = 64;
/** How many milliseconds pass before such calls: twice as many each time, up to the maximum, as long as nothing changes. */
const EXPLORE_MS = 1000;
const EXPLORE_MAX_MS = 60_000;
/**
 * A call that takes this many milliseconds here is too long, whatever a crossing costs: on a busy machine that may seem to be more. A second
 * one among this many calls makes the function leave, even if the mean is low; the first may have met another program.
 */
const TOO_LONG_MS = 5;
const TOO_LONG_AMONG = 1000;
/** How many milliseconds the function then stays on threads: twice as many each time. */
const TOO_LONG_REST_MS = 10_000;
/** The largest figures are left out of a mean: one of this many, and at least one of several. */
const TRIMMED = 16;

/** Makes a placement for one pool: it remembers what it has measured. */
export function autoPlacement(): Placement {
  const functions = new Map<string, LearntFunction>();
  const find = (name: string) => functions.get(name);
  const of = (name: string) => {
    const known = find(name) ?? new LearntFunction();
    functions.set(name, known);
    return known;
  };
  return { name: 'auto', usesThreads: true, learner: { of, find } };
}

class LearntFunction implements PlacedFunction {
  readonly #across = new Window(ACROSS_CALLS);
  readonly #here = new Window(HERE_CALLS, HERE_MS);
  readonly #crossing = new RollingMedian();
  /** unloaded: the module is not there on the calling thread. forbidden: it stays on threads. */
  #place: 'unloaded' | 'threads' | 'inline' | 'forbidden' = 'unloaded';
  #bytes: { readonly in: number; readonly out: number } | undefined;
  #inline = 0;
  #why = 'the module has not been loaded on the calling thread yet';
  /** Whether the function has only begun to run here, so that its code is not compiled yet. */
  #isCold = false;
  /** How many of the next calls are sent to threads, to measure what a crossing costs. */
  #exploring = 0;
  #exploreMs = EXPLORE_MS;
  #exploreAt = Number.POSITIVE_INFINITY;
  /** When a function that was too dear here may come back. */
  #notBefore = 0;
  #restMs = TOO_LONG_REST_MS;
  /** The number of the last call here that was too long. */
  #tooLong = Number.NEGATIVE_INFINITY;

  allow(): void {
    if (this.#place === 'unloaded')
      this.#move('threads', 'it has not run often enough on threads to be judged');
  }

  forbid(why: string): void {
    if (this.#place !== 'forbidden') this.#move('forbidden', why);
  }

  get isExploring(): boolean {
    return this.#exploring > 0;
  }

  get isInline(): boolean {
    return this.#place === 'inline' && this.#exploring === 0;
  }

  takesInline(now: number): boolean {
    if (this.#place !== 'inline') return false;
    if (this.#exploring === 0) {
      if (now < this.#exploreAt) return true;
      this.#exploring = EXPLORE_CALLS;
      this.#exploreAt = now + this.#backOff();
    }
    this.#exploring--;
    return false;
  }

  ranInline(ms: number | undefined, now: number, count = 1): void {
    this.#inline += count;
    if (ms === undefined || this.#place !== 'inline') return;
    const isFull = this.#here.add(ms);
    if (ms < TOO_LONG_MS) return isFull ? this.#judgeHere(now) : undefined;
    const isSecond = this.#inline - this.#tooLong <= TOO_LONG_AMONG;
    this.#tooLong = isSecond ? Number.NEGATIVE_INFINITY : this.#inline;
    if (!isSecond) return;
    this.#leave(`calls took ${shown(ms)} on the calling thread`, now + this.#restMs);
    this.#restMs *= 2;
  }

  ranAcross(runMs: number, now: number): void {
    if (this.#across.add(runMs) && this.#place === 'threads') this.#judgeAcross(now);
  }

  crossed(costMs: number): void {
    this.#crossing.add(costMs);
  }

  sized(bytesIn: number, bytesOut: number): void {
    this.#bytes = { in: bytesIn, out: bytesOut };
  }

  view(): FunctionPlace {
    const isHere = this.#place === 'inline';
    const runMs = (isHere ? this.#here.mean : undefined) ?? this.#across.mean;
    return {
      place: isHere ? 'inline' : 'threads',
      why: this.#why,
      ...(runMs === undefined ? {} : { runMs }),
      bytesIn: this.#bytes?.in ?? null,
      bytesOut: this.#bytes?.out ?? null,
      crossingMs: this.#crossing.median ?? null,
    };
  }

  #judgeAcross(now: number): void {
    const runMs = this.#across.mean!;
    const crossingMs = this.#crossing.median;
    if (crossingMs === undefined) return;
    const figures = `a call runs for ${shown(runMs)}, a crossing costs ${shown(crossingMs)}`;
    if (runMs > Math.min(crossingMs, TOO_LONG_MS)) {
      this.#why = figures;
      this.#exploreMs = EXPLORE_MS;
    } else if (now >= this.#notBefore) {
      this.#move('inline', figures);
      this.#isCold = true;
      this.#here.clear();
      this.#exploreAt = now + this.#exploreMs;
    }
  }

  #judgeHere(now: number): void {
    const hereMs = this.#here.mean!;
    const crossingMs = this.#crossing.median!;
    const figures = `a call takes ${shown(hereMs)} on the calling thread, a crossing costs ${shown(crossingMs)}`;
    if (hereMs <= crossingMs * HYSTERESIS) this.#why = figures;
    else if (!this.#isCold) this.#leave(figures, now + this.#backOff());
    this.#isCold = false;
  }

  #leave(why: string, notBefore: number): void {
    this.#move('threads', why);
    this.#exploring = 0;
    this.#notBefore = notBefore;
    this.#across.clear();
  }

  #move(to: 'threads' | 'inline' | 'forbidden', why: string): void {
    this.#place = to;
    this.#why = why;
  }

  #backOff(): number {
    const ms = this.#exploreMs;
    this.#exploreMs = Math.min(EXPLORE_MAX_MS, 2 * ms);
    return ms;
  }
}

/**
 * Figures that are judged together: `most` of them, or fewer if their sum reaches `sumMost`. The mean leaves out the
 * largest ones, which come from a garbage collection, or another program on the core.
 */
class Window {
  readonly #figures: Float64Array;
  readonly #sumMost: number;
  #count = 0;
  #sum = 0;
  #mean: number | undefined;

  constructor(most: number, sumMost = Number.POSITIVE_INFINITY) {
    this.#figures = new Float64Array(most);
    this.#sumMost = sumMost;
  }

  /** The trimmed mean of the last full window; until one is full, of the figures there are; undefined while there are none. */
  get mean(): number | undefined {
    return this.#mean ?? (this.#count === 0 ? undefined : this.#trimmedMean());
  }

  /** Adds a figure. Returns whether the window is full; then the next figure begins a new one. */
  add(figure: number): boolean {
    this.#figures[this.#count++] = figure;
    this.#sum += figure;
    if (this.#count < this.#figures.length && this.#sum < this.#sumMost) return false;
    this.#mean = this.#trimmedMean();
    this.clear();
    return true;
  }

  /** Begins anew; the mean stays. */
  clear(): void {
    this.#count = 0;
    this.#sum = 0;
  }

  #trimmedMean(): number {
    const sorted = this.#figures.slice(0, this.#count).sort();
    const kept = sorted.subarray(0, Math.max(1, this.#count - this.#count / TRIMMED));
    return kept.reduce((sum, figure) => sum + figure, 0) / kept.length;
  }
}

/** A duration as a text for people. */
function shown(ms: number): string {
  const isShort = ms < 0.1;
  return `${Number((isShort ? ms * 1000 : ms).toPrecision(2))} ${isShort ? 'us' : 'ms'}`;
}
