/** Tables whose columns are dropped by priority where the terminal is too narrow, and how tables share its rows. */

import { fitted, widthOf } from '../../format/text.js';
import type { Column } from './columns.js';
import { cut, filled, type Line, type Span, type Style } from './line.js';
import type { Row } from './snapshot.js';

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** The name of the row that is marked, with a sign and a style. Without it no row can be. */
  readonly selected?: string | undefined;
}

interface Placed {
  readonly column: Column;
  readonly width: number;
}

const GAP = ' ';
const MARK = '> ';
const NO_MARK = '  ';

/**
 * The title and as many rows as there is room for, in `lines` lines; from `first` on. Where not all rows are
 * shown, the first title says how many are.
 */
export function tableLines(table: Table, width: number, lines: number, first = 0): Line[] {
  const margin = 'selected' in table ? NO_MARK : '';
  const placed = place(table, width - margin.length);
  const shown = table.rows.slice(first, first + Math.max(0, lines - 1));
  const hint = shown.length < table.rows.length ? ` ${shown.length}/${table.rows.length}` : '';
  const title = placed.map(({ column, width: room }, i) =>
    fitted(i === 0 ? column.title + hint : column.title, room, i === 0 ? 'left' : column.align),
  );
  const head: Line = [{ text: margin + title.join(GAP), style: 'title' }];
  return [filled(cut(head, width), width, 'title'), ...shown.map(rowLine)].slice(0, lines);

  function rowLine(row: Row): Line {
    const isMarked = margin !== '' && row.name === table.selected;
    const own: Style | undefined = isMarked ? 'selected' : undefined;
    const spans: Span[] = [{ text: isMarked ? MARK : margin, style: own }];
    for (const [i, { column, width: room }] of placed.entries()) {
      spans.push({ text: i === 0 ? '' : GAP, style: own });
      spans.push({ text: fitted(column.cell(row), room, column.align), style: column.style?.(row) ?? own });
    }
    const line = cut(spans, width);
    return isMarked ? filled(line, width, own) : line;
  }
}

/** Columns by priority, as long as they fit at their least; then those that stretch take what is left. */
function place({ columns, rows }: Table, width: number): Placed[] {
  const kept = new Set<Column>();
  let left = width;
  for (const column of columns.toSorted((a, b) => a.priority - b.priority)) {
    const needed = column.width + (kept.size === 0 ? 0 : GAP.length);
    // The first one is there whatever happens: the edge cuts it. After one that does not fit, none does.
    if (kept.size > 0 && needed > left) break;
    kept.add(column);
    left -= needed;
  }
  return columns
    .filter((column) => kept.has(column))
    .map((column) => {
      const widest = Math.max(column.title.length, ...rows.map((row) => widthOf(column.cell(row))));
      const extra = column.stretches ? Math.max(0, Math.min(left, widest - column.width)) : 0;
      left -= extra;
      return { column, width: column.width + extra };
    });
}

export interface Claim {
  /** What it would fill. */
  readonly wanted: number;
  /** With less it says nothing and gets nothing. */
  readonly least: number;
}

/** In the order of importance: everyone's least as long as there is room, then one row each in turn. */
export function shareRows(total: number, claims: readonly Claim[]): number[] {
  let left = Math.max(0, total);
  const given = claims.map(({ wanted, least }) => {
    const first = Math.min(wanted, least);
    if (first > left) return 0;
    left -= first;
    return first;
  });
  const isOpen = (i: number): boolean => given[i]! > 0 && given[i]! < claims[i]!.wanted;
  while (left > 0 && given.some((_, i) => isOpen(i))) {
    for (let i = 0; i < given.length && left > 0; i += 1) {
      if (!isOpen(i)) continue;
      given[i]! += 1;
      left -= 1;
    }
  }
  return given;
}

/** The index of the first row to draw: the selected row is in the middle, unless the first or the last row of the table would leave a gap. */
export function windowStart(selected: number, total: number, shown: number): number {
  return Math.max(0, Math.min(selected - Math.floor(shown / 2), total - shown));
}
