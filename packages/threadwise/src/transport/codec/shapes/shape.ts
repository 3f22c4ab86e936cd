/** What a reader knows of a shape: its keys, and the quickest way to make an object that has them. */
import { isInherited, setOwn } from '../own-keys.js';
import { SPARE } from './spare-fills.js';

/** An object in the making. */
export type Fields = Record<string, unknown>;

/** Gives the values of an object one after the other. */
export interface Source {
  next(): unknown;
}

/** Sets the keys of one step to the next values of `source`. */
export type Fill = (object: Fields, step: Step, source: Source) => void;

/** At most so many keys are set by one call. */
const STEP_KEYS = 4;
/** A step is worth a fill of its own once it was taken so often. */
const HOT = 32;

/** Up to four keys of a shape that are set together. */
export class Step {
  readonly a: string;
  readonly b: string;
  readonly c: string;
  readonly d: string;
  readonly count: number;
  readonly next: Step | undefined;
  fill: Fill;
  uses = 0;
  /** All keys of the object up to here. Objects that begin alike share their fills. */
  readonly path: string;

  constructor(keys: readonly string[], from: number) {
    this.a = internal(keys[from]);
    this.b = internal(keys[from + 1]);
    this.c = internal(keys[from + 2]);
    this.d = internal(keys[from + 3]);
    const end = Math.min(keys.length, from + STEP_KEYS);
    this.count = end - from;
    this.fill = keys.slice(from, end).some(isInherited) ? fillOwn : fillCounting;
    this.path = JSON.stringify(keys.slice(0, end));
    this.next = end < keys.length ? new Step(keys, end) : undefined;
  }
}

/** The engine's own copy of a key: its inline caches recognize no other. */
function internal(key = ''): string {
  return Object.keys({ [key]: undefined })[0]!;
}

/** At first: the common way, until the step turns out to be a hot one. */
function fillCounting(object: Fields, step: Step, source: Source): void {
  step.uses++;
  if (step.uses === HOT) step.fill = fillFor(step.path);
  fillAny(object, step, source);
}

/** The common way. */
function fillAny(object: Fields, step: Step, source: Source): void {
  const { count } = step;
  object[step.a] = source.next();
  if (count > 1) object[step.b] = source.next();
  if (count > 2) object[step.c] = source.next();
  if (count > 3) object[step.d] = source.next();
}

/** For keys that must not be assigned. The writer takes none into the book, but all objects may differ here and there. */
function fillOwn(object: Fields, { a, b, c, d, count }: Step, source: Source): void {
  for (const key of [a, b, c, d].slice(0, count)) setOwn(object, key, source.next());
}

/** The fills that are in use, by path. Of the whole thread: several readers see the same shapes. */
const taken = new Map<string, Fill>();

function fillFor(path: string): Fill {
  const fill = taken.get(path) ?? SPARE[taken.size];
  if (fill === undefined) return fillAny;
  taken.set(path, fill);
  return fill;
}
