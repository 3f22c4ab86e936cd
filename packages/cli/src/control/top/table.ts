/** Tables whose columns are dropped by priority where the terminal is too narrow for all of them. */

import { fitted, widthOf } from '../text.js';
import { cut, filled, type Line, type Span, type Style } from './line.js';

export interface Column<Row> {
  readonly title: string;
  /** In columns of the terminal; of one that stretches, the least. */
  readonly width: number;
  /** It grows to what its cells need, as far as there is room. */
  readonly stretches?: boolean;
  readonly align?: 'left' | 'right';
  /** 1 is dropped last. */
  readonly priority: number;
  readonly cell: (row: Row) => string;
  readonly style?: (row: Row) => Style | undefined;
}

export interface Table<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Marks one row, with a sign and a style. */
  readonly isSelected?: (row: Row) => boolean;
}

interface Placed<Row> {
  readonly column: Column<Row>;
  readonly width: number;
}

const GAP = ' ';
const MARK = '> ';
const NO_MARK = '  ';

/**
 * The title and as many rows as there is room for, in `lines` lines; from `first` on. Where not all rows are
 * shown, the first title says how many are.
 */
export function tableLines<Row>(
  table: Table<Row>,
  size: { width: number; lines: number },
  first = 0,
): Line[] {
  const { rows, isSelected } = table;
  const margin = isSelected === undefined ? '' : NO_MARK;
  const placed = place(table, size.width - margin.length);
  const shown = rows.slice(first, first + Math.max(0, size.lines - 1));
  const hint = shown.length < rows.length ? ` ${shown.length}/${rows.length}` : '';
  const title = placed.map(({ column, width }, i) =>
    fitted(i === 0 ? column.title + hint : column.title, width, i === 0 ? 'left' : column.align),
  );
  const head: Line = [{ text: margin + title.join(GAP), style: 'title' }];
  return [
    filled(cut(head, size.width), size.width, 'title'),
    ...shown.map((row) => rowLine(row, placed, isSelected, size.width)),
  ].slice(0, size.lines);
}

function rowLine<Row>(
  row: Row,
  placed: readonly Placed<Row>[],
  isSelected: Table<Row>['isSelected'],
  width: number,
): Line {
  const isMarked = isSelected?.(row) ?? false;
  const own: Style | undefined = isMarked ? 'selected' : undefined;
  const margin = isSelected === undefined ? '' : isMarked ? MARK : NO_MARK;
  const spans: Span[] = [{ text: margin, style: own }];
  placed.forEach(({ column, width: room }, i) => {
    spans.push({ text: i === 0 ? '' : GAP, style: own });
    spans.push({ text: fitted(column.cell(row), room, column.align), style: column.style?.(row) ?? own });
  });
  const line = cut(
    spans.filter(({ text }) => text !== ''),
    width,
  );
  return isMarked ? filled(line, width, own) : line;
}

/** Columns by priority, as long as they fit at their least; then those that stretch take what is left. */
function place<Row>({ columns, rows }: Table<Row>, width: number): Placed<Row>[] {
  const kept = new Set<Column<Row>>();
  let left = width;
  for (const column of [...columns].sort((a, b) => a.priority - b.priority)) {
    const needed = column.width + (kept.size === 0 ? 0 : GAP.length);
    // The first one is there whatever happens: the edge cuts it. After one that does not fit, none does.
    if (kept.size > 0 && needed > left) break;
    kept.add(column);
    left -= needed;
  }
  return columns
    .filter((column) => kept.has(column))
    .map((column) => {
      const extra = column.stretches ? Math.max(0, Math.min(left, wanted(column, rows) - column.width)) : 0;
      left -= extra;
      return { column, width: column.width + extra };
    });
}

function wanted<Row>(column: Column<Row>, rows: readonly Row[]): number {
  return rows.reduce((most, row) => Math.max(most, widthOf(column.cell(row))), column.title.length);
}
