/**
 * What `top` knows and shows, and what keys and news make of it. Pure: a state and an event in, a state and
 * wishes out.
 */

import type { Change } from '../client.js';
import type { Key } from './keys.js';
import type { PoolView, Snapshot } from './pool-view.js';
import { firstSort, nextSort, type Sort } from './worker-sort.js';

/** Whether there is a connection, and when there is none, what was said last and when it is tried again. */
export type Link =
  { readonly kind: 'live' } | { readonly kind: 'lost'; readonly why: string; readonly retryAt: number };

export interface Request {
  readonly pool: string;
  readonly ask: { readonly action: 'pause' | 'resume' | 'recycle' } | { readonly change: Change };
  /** What the user is asked. */
  readonly question: string;
  /** What is told when it is done. */
  readonly done: string;
}

export type Mode =
  | { readonly kind: 'watching' }
  | { readonly kind: 'help' }
  | { readonly kind: 'asking'; readonly request: Request };

export interface TopState {
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly snapshot: Snapshot;
  readonly link: Link;
  /** By name: it stays the same pool when others come and go. */
  readonly selected: string | undefined;
  readonly sort: Sort;
  readonly mode: Mode;
  /** The outcome of the last change, until the next key. */
  readonly notice: string;
}

export type TopEvent =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'tick'; readonly now: number }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly kind: 'lost'; readonly why: string; readonly retryAt: number }
  | { readonly kind: 'told'; readonly notice: string };

/** What is to be done outside of the state. */
export type Wish =
  | { readonly kind: 'quit' }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'send'; readonly request: Request };

export interface Step {
  readonly state: TopState;
  readonly wish?: Wish;
}

const WATCHING: Mode = { kind: 'watching' };

export function initialState(address: string, snapshot: Snapshot): TopState {
  return {
    address,
    now: snapshot.at,
    snapshot,
    link: { kind: 'live' },
    selected: snapshot.pools[0]?.name,
    sort: firstSort,
    mode: WATCHING,
    notice: '',
  };
}

export function selectedPool({ snapshot, selected }: TopState): PoolView | undefined {
  return snapshot.pools.find(({ name }) => name === selected);
}

export function step(state: TopState, event: TopEvent): Step {
  switch (event.kind) {
    case 'key':
      return onKey(state, event.key);
    case 'tick':
      return { state: { ...state, now: event.now } };
    case 'snapshot':
      return { state: onSnapshot(state, event.snapshot) };
    case 'lost':
      return { state: { ...state, link: { kind: 'lost', why: event.why, retryAt: event.retryAt } } };
    case 'told':
      return { state: { ...state, notice: event.notice } };
  }
}

/** A pool that is gone passes the selection on to the one that is in its place now. */
function onSnapshot(state: TopState, snapshot: Snapshot): TopState {
  const { pools } = snapshot;
  const isThere = pools.some(({ name }) => name === state.selected);
  const place = state.snapshot.pools.findIndex(({ name }) => name === state.selected);
  const selected = isThere ? state.selected : pools[Math.min(Math.max(place, 0), pools.length - 1)]?.name;
  // A question about a pool that is gone has no answer.
  const mode = state.mode.kind === 'asking' && !isThere ? WATCHING : state.mode;
  return { ...state, now: snapshot.at, snapshot, link: { kind: 'live' }, selected, mode };
}

function onKey(state: TopState, key: Key): Step {
  if (key === 'interrupt' || key === 'suspend') return { state, wish: { kind: key } };
  switch (state.mode.kind) {
    case 'asking':
      return onAnswer(state, key, state.mode.request);
    case 'help':
      // Any key leads back.
      return { state: { ...state, mode: WATCHING } };
    case 'watching':
      return onCommand({ ...state, notice: '' }, key);
  }
}

/** Only y does it. Keys that mean something else must not answer a question by accident. */
function onAnswer(state: TopState, key: Key, request: Request): Step {
  if (key === 'yes') {
    return {
      state: { ...state, mode: WATCHING, notice: 'Asking the program…' },
      wish: { kind: 'send', request },
    };
  }
  if (key === 'no' || key === 'escape' || key === 'quit') {
    return { state: { ...state, mode: WATCHING, notice: 'Nothing was changed.' } };
  }
  return { state };
}

function onCommand(state: TopState, key: Key): Step {
  switch (key) {
    case 'quit':
      return { state, wish: { kind: 'quit' } };
    case 'help':
      return { state: { ...state, mode: { kind: 'help' } } };
    case 'up':
      return { state: moved(state, -1) };
    case 'down':
      return { state: moved(state, 1) };
    case 'sort':
      return { state: { ...state, sort: nextSort(state.sort) } };
    case 'reverse':
      return { state: { ...state, sort: { ...state.sort, descending: !state.sort.descending } } };
    case 'more':
      return { state: asked(state, (pool) => resized(pool, 1)) };
    case 'fewer':
      return { state: asked(state, (pool) => resized(pool, -1)) };
    case 'pause':
      return { state: asked(state, pausedOrResumed) };
    case 'recycle':
      return { state: asked(state, recycled) };
    default:
      return { state };
  }
}

function moved(state: TopState, by: number): TopState {
  const { pools } = state.snapshot;
  const at = pools.findIndex(({ name }) => name === state.selected);
  const next = pools[Math.min(Math.max(at + by, 0), pools.length - 1)];
  return { ...state, selected: next?.name };
}

/** `make` gives what to ask, or why there is nothing to ask. */
function asked(state: TopState, make: (pool: PoolView) => Request | string): TopState {
  const pool = selectedPool(state);
  if (pool === undefined) return { ...state, notice: 'No pool is selected.' };
  if (state.link.kind === 'lost')
    return { ...state, notice: 'There is no connection: nothing can be changed.' };
  const request = make(pool);
  if (typeof request === 'string') return { ...state, notice: request };
  return { ...state, mode: { kind: 'asking', request } };
}

/**
 * The question says what will be so, not by how much: an answer may come when others have changed it, too.
 */
function resized({ name, label, threads: { min, max } }: PoolView, by: number): Request | string {
  if (min === undefined || max === undefined) return `How many threads ${label} has is not known.`;
  const to = max + by;
  if (to < 1) return `${label} has one thread, and needs that.`;
  if (min === max) {
    return {
      pool: name,
      ask: { change: { threads: to } },
      question: `Resize ${label} from ${max} to ${to} ${to === 1 ? 'thread' : 'threads'}?`,
      done: `${label} is to have ${to} ${to === 1 ? 'thread' : 'threads'}.`,
    };
  }
  const least = Math.min(min, to);
  return {
    pool: name,
    ask: { change: { min: least, max: to } },
    question: `Resize ${label} from ${min}-${max} to ${least}-${to} threads?`,
    done: `${label} is to have ${least} to ${to} threads.`,
  };
}

function pausedOrResumed({ name, label, state }: PoolView): Request | string {
  switch (state) {
    case 'open':
      return {
        pool: name,
        ask: { action: 'pause' },
        question: `Pause ${label}? Calls will wait.`,
        done: `${label} is paused: calls wait.`,
      };
    case 'paused':
    case 'draining':
      return {
        pool: name,
        ask: { action: 'resume' },
        question: `Resume ${label}? It is ${state}.`,
        done: `${label} goes on.`,
      };
    default:
      return `${label} is ${state}: it cannot be paused.`;
  }
}

function recycled({ name, label, state }: PoolView): Request | string {
  if (state === 'closed' || state === 'closing') return `${label} is ${state}: it has no workers to replace.`;
  return {
    pool: name,
    ask: { action: 'recycle' },
    question: `Replace every worker of ${label}, one after another?`,
    done: `${label} replaces its workers, one after another.`,
  };
}
