/** The screen of `top`, out of what is known and how large it is. Pure. */

import { decisionColumns, functionColumns, poolColumns, workerColumns } from './columns.js';
import { callsOf, settingsOf } from './details.js';
import { age, bytes } from './figures.js';
import { helpLines } from './help.js';
import { cut, joined, type Line, plain, textOf, wrapped } from './line.js';
import type { PoolView } from './pool-view.js';
import { type Claim, shareRows, windowStart } from './room.js';
import type { TopState } from './state.js';
import { type Table, tableLines } from './table.js';
import { type Sort, sorted } from './worker-sort.js';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Older figures than that mean that the program does not answer: they come once a second. Milliseconds. */
const STALE_MS = 3000;
/** What the program says when it refuses something may be long. */
const MAX_STATUS_LINES = 3;
const KEYS = ['? help', 'q quit', '+/- threads', 'p pause', 'r recycle', 's/S sort', 'up/down pool'];

/** Exactly as many lines as there are rows, none wider than there are columns. */
export function view(state: TopState, { columns, rows }: Size): Line[] {
  const status = statusLines(state, columns).slice(0, Math.max(1, rows - 1));
  const body = Math.max(0, rows - 1 - status.length);
  const middle =
    state.mode.kind === 'help' ? helpLines().map((text) => plain(text)) : sections(state, columns, body);
  const blank = Array.from({ length: body }, () => plain(''));
  const lines = [
    headerLine(state, columns),
    ...middle.slice(0, body),
    ...blank.slice(middle.length),
    ...status,
  ];
  // A single row is for the question, or for what is wrong.
  return lines.slice(-rows).map((line) => cut(line, columns));
}

/** Everything, as plain text: for where there is no terminal. */
export function snapshotText(state: TopState, columns: number): string {
  const { snapshot, sort, now } = state;
  const all = Number.POSITIVE_INFINITY;
  const lines = [headerLine(state, columns), ...poolTable(snapshot.pools).lines(columns, all)];
  for (const pool of snapshot.pools) {
    const tables = detailTables(pool, now, sort).filter(({ rows }) => rows > 0);
    lines.push(
      plain(''),
      ...infoLines(pool, columns),
      ...tables.flatMap((table) => table.lines(columns, all)),
    );
  }
  return lines.map((line) => `${textOf(line).trimEnd()}\n`).join('');
}

function headerLine({ address, now, snapshot, link }: TopState, columns: number): Line {
  const old = age(now - snapshot.at);
  if (link.kind === 'lost') {
    const next = link.retryAt <= now ? 'trying again' : `next try in ${age(link.retryAt - now + 999)}`;
    return plain(`CONNECTION LOST ${old} ago, ${next}: ${link.why}`, 'bad');
  }
  if (now - snapshot.at > STALE_MS) {
    return plain(`NO ANSWER for ${old}: is the program's main thread blocked? (${address})`, 'warn');
  }
  const { pid, title, node, uptimeMs } = snapshot.process;
  const pieces = [
    address,
    `pid ${pid ?? '-'}`,
    `up ${age(uptimeMs)}`,
    title,
    `Node ${node.replace(/^v/, '')}`,
    `${bytes(snapshot.pools[0]?.residentBytes)} resident`,
  ];
  return plain(joined(pieces, columns), 'bold');
}

function statusLines({ mode, notice }: TopState, columns: number): Line[] {
  // The keys first: whatever the edge cuts, it is not those.
  if (mode.kind === 'asking') return told(`[y/n] ${mode.request.question}`, columns);
  if (mode.kind === 'help') return [plain('Any key leads back.')];
  if (notice !== '') return told(notice, columns);
  return [plain(joined(KEYS, columns), 'dim')];
}

function told(text: string, columns: number): Line[] {
  return wrapped(text, columns, MAX_STATUS_LINES).map((line) => plain(line, 'bold'));
}

/** The pools, and of the selected one as much as there is room for. */
function sections({ snapshot, selected, now, sort }: TopState, columns: number, rows: number): Line[] {
  const { pools } = snapshot;
  const at = pools.findIndex(({ name }) => name === selected);
  const table = poolTable(pools, selected);
  const pool = pools[at];
  if (pool === undefined)
    return [...table.lines(columns, 1), plain('The program has no pool at the moment.')];
  const tables = detailTables(pool, now, sort).filter((section) => section.rows > 0);
  const claims: Claim[] = [table.claim, { wanted: 2, least: 1 }, ...tables.map(({ claim }) => claim)];
  const [forPools = 0, forInfo = 0, ...forTables] = shareRows(rows, claims);
  return [
    ...table.lines(columns, forPools, windowStart(at, pools.length, forPools - 1)),
    ...infoLines(pool, columns).slice(0, forInfo),
    ...tables.flatMap((section, i) => section.lines(columns, forTables[i]!)),
  ];
}

interface Section {
  readonly rows: number;
  readonly claim: Claim;
  lines(width: number, lines: number, first?: number): Line[];
}

function section<Row>(table: Table<Row>): Section {
  const rows = table.rows.length;
  return {
    rows,
    claim: { wanted: rows + 1, least: 2 },
    lines: (width, lines, first) => tableLines(table, { width, lines }, first),
  };
}

function poolTable(pools: readonly PoolView[], selected?: string): Section {
  const isSelected = ({ name }: PoolView): boolean => name === selected;
  return section({ columns: poolColumns, rows: pools, isSelected });
}

function infoLines(pool: PoolView, columns: number): Line[] {
  return [plain(joined(callsOf(pool), columns), 'bold'), plain(joined(settingsOf(pool), columns))];
}

function detailTables(pool: PoolView, now: number, sort: Sort): Section[] {
  return [
    section({ columns: workerColumns(sort), rows: sorted(pool.workers, sort) }),
    section({ columns: functionColumns, rows: pool.functions }),
    section({ columns: decisionColumns(now), rows: pool.decisions }),
  ];
}
