/** Draws the screen of `top` from its state and the size of the terminal. Pure. */

import { age, bytes, count, percent } from '../../format/narrow.js';
import {
  decisionColumns,
  figure,
  functionColumns,
  poolColumns,
  type Row,
  rows,
  type Sort,
  sorted,
  sortedColumns,
  text,
  valueAt,
} from './columns.js';
import { cut, joined, plain, shareRows, tableLines, textOf, windowStart, wrapped } from './line.js';
import type { Claim, Line, Table } from './line.js';
import type { TopState } from './state.js';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Figures come once a second: if they are older than this many milliseconds, the program does not answer. */
const STALE_MS = 3000;
/** How many lines the status may take: a refusal of the program may be long. */
const MAX_STATUS_LINES = 3;
const KEYS = ['? help', 'q quit', '+/- threads', 'p pause', 'r recycle', 's/S sort', 'up/down pool'];
/** The help fits a screen of 40 columns and 15 rows. */
const HELP = [
  'up k, down j select a pool',
  's            sort by another column',
  'S            sort the other way round',
  '+ -          one thread more, or less',
  'p            pause, or resume',
  'r            replace workers, in turn',
  'q            quit',
  '',
  '+ - p r ask first; only y does it.',
  'Figures: once a second. RUN50, RUN99:',
  'median and 99th percentile, of a pool',
  'in the last 10 s. MAIN: how busy the',
  'main thread is. - not known.',
];

/** Returns exactly as many lines as the screen has rows, none wider than its columns. */
export function view(state: TopState, { columns, rows: height }: Size): Line[] {
  const status = statusLines(state, columns).slice(0, Math.max(1, height - 1));
  const body = Math.max(0, height - 1 - status.length);
  const middle =
    state.mode.kind === 'help' ? HELP.map((line) => plain(line)) : sections(state, columns, body);
  const blank = Array.from({ length: Math.max(0, body - middle.length) }, () => plain(''));
  const lines = [headerLine(state, columns), ...middle.slice(0, body), ...blank, ...status];
  // A screen of one row shows only the status: a question, or what is wrong.
  return lines.slice(-height).map((line) => cut(line, columns));
}

/** All pools with their details as plain text, for --once and for output that is no terminal. */
export function snapshotText(state: TopState, columns: number): string {
  const { pools } = state.snapshot;
  const whole = (table: Table): Line[] => tableLines(table, columns, Number.POSITIVE_INFINITY);
  const lines = [
    headerLine(state, columns),
    ...whole({ columns: poolColumns, rows: pools, selected: undefined }),
    ...pools.flatMap((pool) => [
      plain(''),
      ...infoLines(pool, columns),
      ...detailTables(pool, state).flatMap(whole),
    ]),
  ];
  return lines.map((line) => `${textOf(line).trimEnd()}\n`).join('');
}

function headerLine({ address, now, snapshot, lost }: TopState, columns: number): Line {
  const old = age(now - snapshot.at);
  if (lost !== undefined) return plain(`CONNECTION LOST ${old} ago, trying again: ${lost}`, 'bad');
  if (now - snapshot.at > STALE_MS) {
    return plain(`NO ANSWER for ${old}: is the program's main thread blocked? (${address})`, 'warn');
  }
  const { process, pools } = snapshot;
  const pieces = [
    address,
    `pid ${figure(process, 'pid') ?? '-'}`,
    `up ${age(figure(process, 'uptimeMs'))}`,
    text(process, 'title'),
    `Node ${text(process, 'node').replace(/^v/, '')}`,
    `${bytes(figure(pools[0] ?? {}, 'process.residentBytes'))} resident`,
  ];
  return plain(joined(pieces, columns), 'bold');
}

function statusLines({ mode, notice }: TopState, columns: number): Line[] {
  if (mode.kind === 'help') return [plain('Any key leads back.')];
  // The keys of the answer come first, so that the edge never cuts them off.
  const told = mode.kind === 'asking' ? `[y/n] ${mode.request.question}` : notice;
  if (told === '') return [plain(joined(KEYS, columns), 'dim')];
  return wrapped(told, columns, MAX_STATUS_LINES).map((line) => plain(line, 'bold'));
}

/** The table of the pools, and as much about the selected one as there is room for. */
function sections(state: TopState, columns: number, height: number): Line[] {
  const { pools } = state.snapshot;
  const { selected } = state;
  const at = pools.findIndex(({ name }) => name === selected);
  const pool = pools[at];
  const table: Table = { columns: poolColumns, rows: pools, selected };
  if (pool === undefined) {
    return [...tableLines(table, columns, 1), plain('The program has no pool at the moment.')];
  }
  const claimOf = (each: Table): Claim => ({ wanted: each.rows.length + 1, least: 2 });
  const tables = detailTables(pool, state);
  const claims = [claimOf(table), { wanted: 2, least: 1 }, ...tables.map(claimOf)];
  const [forPools = 0, forInfo = 0, ...forTables] = shareRows(height, claims);
  return [
    ...tableLines(table, columns, forPools, windowStart(at, pools.length, forPools - 1)),
    ...infoLines(pool, columns).slice(0, forInfo),
    ...tables.flatMap((each, i) => tableLines(each, columns, forTables[i]!)),
  ];
}

function detailTables(pool: Row, { now, sort }: { now: number; sort: Sort }): Table[] {
  const tables = [
    { columns: sortedColumns(sort), rows: sorted(rows(pool, 'workers'), sort) },
    { columns: functionColumns, rows: rows(pool, 'functions') },
    // The latest decision comes first.
    { columns: decisionColumns(now), rows: rows(pool, 'sizing.decisions').reverse() },
  ];
  return tables.filter((table) => table.rows.length > 0);
}

/** Two lines on the pool's calls and settings, with the most important first: a narrow screen drops the last ones. */
function infoLines(pool: Row, columns: number): Line[] {
  return [plain(joined(callsOf(pool), columns), 'bold'), plain(joined(settingsOf(pool), columns))];
}

/** Counts that are shown only where they are not 0. */
const rare: readonly (readonly [path: string, words: string])[] = [
  ['tasks.failed', 'failed'],
  ['tasks.crashed', 'crashed'],
  ['tasks.timedOut', 'timed out'],
  ['tasks.aborted', 'aborted'],
  ['tasks.rejected', 'ended with the pool'],
  ['tasks.retried', 'retried'],
  ['recycled', 'recycled'],
];

function callsOf(pool: Row): string[] {
  const ends = rare.filter(([path]) => (figure(pool, path) ?? 0) > 0);
  return [
    text(pool, 'name'),
    `${count(figure(pool, 'tasks.open'))} open`,
    `${count(figure(pool, 'tasks.completed'))} done`,
    ...ends.map(([path, words]) => `${count(figure(pool, path))} ${words}`),
  ];
}

function settingsOf(pool: Row): string[] {
  const [min, max] = [count(figure(pool, 'threads.min')), count(figure(pool, 'threads.max'))];
  const limit = valueAt(pool, 'queue.limit') === null ? 'none' : count(figure(pool, 'queue.limit'));
  const busy = figure(pool, 'coordinator.utilization');
  return [
    `threads ${min === max ? max : `${min}-${max}`} (${text(pool, 'sizing.policy')})`,
    `queue limit ${limit}`,
    // With the shared queue, workers take tasks by themselves: the strategy chooses nothing.
    ...(pool.dispatch === 'shared-queue' ? [] : ['choose'])
      .concat('placement', 'dispatch')
      .map((name) => `${name} ${text(pool, name)}`),
    ...(busy === undefined ? [] : [`coordinator ${percent(busy)} busy`]),
  ];
}
