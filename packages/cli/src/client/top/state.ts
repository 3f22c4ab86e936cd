/** The state of `top`, and how keys and snapshots change it. Pure: a state and a key in, a state and a wish out. */

import type { Key as KeyPress } from 'node:readline';
import { safeText } from '../../format/text.js';
import type { Change, PoolJson } from '../client.js';
import { figure, firstSort, nextSort, type Snapshot, type Sort, text } from './columns.js';

export interface Request {
  readonly pool: string;
  readonly ask: { readonly action: 'pause' | 'resume' | 'recycle' } | { readonly change: Change };
  readonly question: string;
  /** The notice once the program has done it. */
  readonly done: string;
}

type Mode =
  | { readonly kind: 'watching' }
  | { readonly kind: 'help' }
  | { readonly kind: 'asking'; readonly request: Request };

export interface TopState {
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly snapshot: Snapshot;
  /** Why there is no connection; undefined: there is one. */
  readonly lost: string | undefined;
  /** The name of the selected pool: unlike an index, it stays right when other pools come and go. */
  readonly selected: string | undefined;
  readonly sort: Sort;
  readonly mode: Mode;
  /** The outcome of the last change, until the next key. */
  readonly notice: string;
}

/** An effect that the caller has to carry out. */
export type Wish =
  { readonly kind: 'quit' | 'interrupt' | 'suspend' } | { readonly kind: 'send'; readonly request: Request };

export interface Step {
  readonly state: TopState;
  readonly wish?: Wish;
}

/** The characters of each key. In raw mode Ctrl-C and Ctrl-Z are characters, too; `=` is on the key of `+`, without shift. */
const keys = {
  up: 'k',
  down: 'j',
  sort: 's',
  reverse: 'S',
  more: '+=',
  fewer: '-',
  pause: 'p',
  recycle: 'r',
  help: '?h',
  quit: 'q',
  yes: 'yY',
  no: 'nN',
  interrupt: '\u0003',
  suspend: '\u001a',
} as const;

export type Key = keyof typeof keys | 'escape' | 'other';

/** The meaning of a key press, whose escape sequence `node:readline` has parsed. */
export function keyOf({ name, sequence = '', ctrl = false, meta = false }: KeyPress): Key {
  if (name === 'up' || name === 'down' || name === 'escape') return name;
  // Alt with a letter is another key than the letter.
  if (meta || sequence === '') return 'other';
  const key = (Object.keys(keys) as (keyof typeof keys)[]).find((each) => keys[each].includes(sequence));
  // Some terminals send Ctrl-C as an escape sequence, and not as its character.
  return key ?? (ctrl && name === 'c' ? 'interrupt' : 'other');
}

const WATCHING: Mode = { kind: 'watching' };

export function initialState(address: string, snapshot: Snapshot): TopState {
  return {
    address,
    now: snapshot.at,
    snapshot,
    lost: undefined,
    selected: snapshot.pools[0]?.name,
    sort: firstSort,
    mode: WATCHING,
    notice: '',
  };
}

/** If the selected pool is gone, the selection passes to the pool that is in its place now. */
export function withSnapshot(state: TopState, snapshot: Snapshot): TopState {
  const isThere = snapshot.pools.some(({ name }) => name === state.selected);
  const selected = isThere ? state.selected : poolAt(snapshot, placeOf(state));
  const next = { ...state, now: snapshot.at, snapshot, lost: undefined, selected };
  // A question about a pool that is gone has no answer; the figures in one are not those of a program that was started anew.
  if (state.mode.kind !== 'asking' || (isThere && !isRestarted(state.snapshot, snapshot))) return next;
  const what = isThere ? 'The program was started again' : 'The pool is gone';
  return { ...next, mode: WATCHING, notice: `${what}: nothing was changed.` };
}

/** Whether another start of the program made the second snapshot: in a container, each start has the same process id. */
function isRestarted({ process: before }: Snapshot, { process: now }: Snapshot): boolean {
  return before.pid !== now.pid || Number(now.uptimeMs) < Number(before.uptimeMs);
}

function placeOf({ snapshot, selected }: TopState): number {
  return snapshot.pools.findIndex(({ name }) => name === selected);
}

/** The name of the pool at this place, or of the nearest one. */
function poolAt({ pools }: Snapshot, place: number): string | undefined {
  return pools[Math.min(Math.max(place, 0), pools.length - 1)]?.name;
}

export function pressed(state: TopState, key: Key): Step {
  if (key === 'interrupt' || key === 'suspend') return { state, wish: { kind: key } };
  const { mode } = state;
  if (mode.kind === 'help') return { state: { ...state, mode: WATCHING } };
  if (mode.kind === 'watching') {
    if (key === 'quit') return { state, wish: { kind: 'quit' } };
    return { state: { ...state, notice: '', ...commands[key]?.(state) } };
  }
  // Only y confirms: keys that mean something else must not answer a question by accident.
  if (key === 'yes') {
    const asking = { ...state, mode: WATCHING, notice: 'Asking the program…' };
    return { state: asking, wish: { kind: 'send', request: mode.request } };
  }
  const isNo = key === 'no' || key === 'escape' || key === 'quit';
  return { state: isNo ? { ...state, mode: WATCHING, notice: 'Nothing was changed.' } : state };
}

/** What the keys change while nothing is asked. */
const commands: Partial<Record<Key, (state: TopState) => Partial<TopState>>> = {
  help: () => ({ mode: { kind: 'help' } }),
  up: (state) => ({ selected: poolAt(state.snapshot, placeOf(state) - 1) }),
  down: (state) => ({ selected: poolAt(state.snapshot, placeOf(state) + 1) }),
  sort: ({ sort }) => ({ sort: nextSort(sort) }),
  reverse: ({ sort }) => ({ sort: { ...sort, descending: !sort.descending } }),
  more: (state) => asked(state, (pool, label) => resized(pool, label, 1)),
  fewer: (state) => asked(state, (pool, label) => resized(pool, label, -1)),
  pause: (state) => asked(state, pausedOrResumed),
  recycle: (state) => asked(state, recycled),
};

type Asked = Omit<Request, 'pool'>;

/** @param make returns the request to ask about, or why there is nothing to ask */
function asked(state: TopState, make: (pool: PoolJson, label: string) => Asked | string): Partial<TopState> {
  const pool = state.snapshot.pools[placeOf(state)];
  if (pool === undefined) return { notice: 'No pool is selected.' };
  if (state.lost !== undefined) return { notice: 'There is no connection: nothing can be changed.' };
  const request = make(pool, safeText(pool.name));
  if (typeof request === 'string') return { notice: request };
  return { mode: { kind: 'asking', request: { pool: pool.name, ...request } } };
}

/** The question names the new number of threads and not the step: others may change it before the answer. */
function resized(pool: PoolJson, label: string, by: number): Asked | string {
  const [min, max] = [figure(pool, 'threads.min'), figure(pool, 'threads.max')];
  if (min === undefined || max === undefined) return `The number of threads of ${label} is not known.`;
  const to = max + by;
  if (to < 1) return `${label} has one thread, and needs it.`;
  if (min === max) {
    const threads = `${to} ${to === 1 ? 'thread' : 'threads'}`;
    return {
      ask: { change: { threads: to } },
      question: `Resize ${label} from ${max} to ${threads}?`,
      done: `${label} is to have ${threads}.`,
    };
  }
  const least = Math.min(min, to);
  return {
    ask: { change: { min: least, max: to } },
    question: `Resize ${label} from ${min}-${max} to ${least}-${to} threads?`,
    done: `${label} is to have ${least} to ${to} threads.`,
  };
}

function pausedOrResumed(pool: PoolJson, label: string): Asked | string {
  const state = text(pool, 'state');
  if (state === 'open') {
    return {
      ask: { action: 'pause' },
      question: `Pause ${label}? Calls will wait.`,
      done: `${label} is paused: calls wait.`,
    };
  }
  if (state !== 'paused' && state !== 'draining') return `${label} is ${state}: it cannot be paused.`;
  return {
    ask: { action: 'resume' },
    question: `Resume ${label}? It is ${state}.`,
    done: `${label} goes on.`,
  };
}

function recycled(pool: PoolJson, label: string): Asked | string {
  const state = text(pool, 'state');
  if (state === 'closed' || state === 'closing') return `${label} is ${state}: it has no workers to replace.`;
  return {
    ask: { action: 'recycle' },
    question: `Replace every worker of ${label}, one after another?`,
    done: `${label} replaces its workers, one after another.`,
  };
}
