/**
 * Lines of the screen, made of pieces of text with a style each, and the escape sequences that draw them. Styles only emphasise: what they
 * mean is always said in words, too.
 */
import { fitted, truncated, widthOf } from '../../format/text.js';
import type { Column, Row } from './columns.js';

export type Style = 'title' | 'selected' | 'bad' | 'warn' | 'dim' | 'bold';

export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

export type Line = readonly Span[];

export function plain(text: string, style?: Style): Line {
  return [{ text, style }];
}

export function textOf(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** Cuts a line to `width` columns. */
export function cut(line: Line, width: number): Line {
  let left = width;
  return line.flatMap(({ text, style }) => {
    const part = truncated(text, left);
    // Nothing may follow the ellipsis of a piece that was cut, even if a column is free.
    left = part === text ? left - widthOf(part) : 0;
    return part === '' ? [] : [{ text: part, style }];
  });
}

/** Pads the line with blanks, so that a background reaches the edge. */
export function filled(line: Line, width: number, style?: Style): Line {
  const rest = width - widthOf(textOf(line));
  return Number.isFinite(rest) && rest > 0 ? [...line, { text: ' '.repeat(rest), style }] : line;
}

/** Joins as many of the pieces as fit, from the first on; the first is cut if it does not fit. */
export function joined(pieces: readonly string[], width: number): string {
  let text = truncated(pieces[0]!, width);
  for (const piece of pieces.slice(1)) {
    if (widthOf(`${text}  ${piece}`) > width) return text;
    text += `  ${piece}`;
  }
  return text;
}

/** Breaks a text at blanks into at most `lines` lines. Cuts what does not fit into the last one, and words too long. */
export function wrapped(text: string, width: number, lines: number): string[] {
  const result = [''];
  for (const word of text.split(' ')) {
    const last = result.at(-1)!;
    const longer = last === '' ? word : `${last} ${word}`;
    const mustFit = last === '' || result.length === lines;
    if (mustFit || widthOf(longer) <= width) result[result.length - 1] = longer;
    else result.push(word);
  }
  return result.map((line) => truncated(line, width));
}

/** Select graphic rendition, ECMA-48 8.3.117. The second one is for NO_COLOR: emphasis without colour. */
const codes: Readonly<Record<Style, readonly [colour: string, without: string]>> = {
  title: ['7', '7'],
  selected: ['1;36', '1'],
  bad: ['1;31', '1'],
  warn: ['33', '1'],
  dim: ['2', '2'],
  bold: ['1', '1'],
};
const HOME = '\x1b[H';
const ERASE_TO_END_OF_LINE = '\x1b[K';
const RESET = '\x1b[0m';

/**
 * Draws one frame over the one before, without clearing the screen first.
 * @param lines as many as the screen has rows, none wider than its columns
 */
export function paint(lines: readonly Line[], columns: number, hasColour: boolean): string {
  const paintSpan = ({ text, style }: Span): string =>
    style === undefined ? text : `\x1b[${codes[style][hasColour ? 0 : 1]}m${text}${RESET}`;
  const painted = lines.map((line) => {
    // After a full line the cursor stays on the last column, and erasing would clear the character there.
    const rest = widthOf(textOf(line)) < columns ? ERASE_TO_END_OF_LINE : '';
    return line.map(paintSpan).join('') + rest;
  });
  return HOME + painted.join('\r\n');
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** The name of the row that is marked, by a sign and a style. A table without this property has no margin for the sign. */
  readonly selected?: string | undefined;
}

const GAP = ' ';
const MARK = '> ';
const NO_MARK = '  ';

/**
 * Draws the title and the rows from `first` on, as many as there is room for in `lines` lines. Where not all rows are shown, the
 * title of the first column says how many are.
 */
export function tableLines(table: Table, width: number, lines: number, first = 0): Line[] {
  const margin = 'selected' in table ? NO_MARK : '';
  const shown = table.rows.slice(first, first + Math.max(0, lines - 1));
  const hint = shown.length < table.rows.length ? ` ${shown.length}/${table.rows.length}` : '';
  const placed = place(table, hint, width - margin.length);
  const title = placed.map(({ column, title: text, width: room }, i) =>
    fitted(text, room, i === 0 ? 'left' : column.align),
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

/** Keeps columns by priority, as long as they fit with their least width; then those that stretch take what is left. */
function place({ columns, rows }: Table, hint: string, width: number) {
  const all = columns.map((column, i) => {
    const title = i === 0 ? column.title + hint : column.title;
    const widest = Math.max(title.length, ...rows.map((row) => widthOf(column.cell(row))));
    // A figure that is cut would be another figure, as `1024/1…` is: the column needs what its figures do.
    const needed = column.align === 'right' ? widest : i === 0 ? title.length : 0;
    return { column, title, widest, width: Math.max(column.width, needed) };
  });
  const kept = new Set<Column>();
  let left = width;
  for (const { column, width: own } of all.toSorted((a, b) => a.column.priority - b.column.priority)) {
    const needed = own + (kept.size === 0 ? 0 : GAP.length);
    // The first column is always kept, and cut by the edge. After one that does not fit, none is kept.
    if (kept.size > 0 && needed > left) break;
    kept.add(column);
    left -= needed;
  }
  return all
    .filter(({ column }) => kept.has(column))
    .map(({ column, title, widest, width: least }) => {
      const extra = column.stretches ? Math.max(0, Math.min(left, widest - least)) : 0;
      left -= extra;
      return { column, title, width: least + extra };
    });
}

export interface Claim {
  /** How many rows it would fill. */
  readonly wanted: number;
  /** How many rows it needs: with fewer it would say nothing, and gets none. */
  readonly least: number;
}

/** Shares rows among claims, the important ones first: each gets its least while there is room, then one row more in turn. */
export function shareRows(total: number, claims: readonly Claim[]): number[] {
  let left = Math.max(0, total);
  const given = claims.map(({ wanted, least }) => {
    const first = Math.min(wanted, least);
    if (first > left) return 0;
    left -= first;
    return first;
  });
  for (;;) {
    const open = [...given.keys()].filter((i) => given[i]! > 0 && given[i]! < claims[i]!.wanted);
    if (left === 0 || open.length === 0) return given;
    for (const i of open.slice(0, left)) given[i]! += 1;
    left -= Math.min(left, open.length);
  }
}

/** The index of the first row to draw: the selected row is in the middle, unless that would leave a gap at either end. */
export function windowStart(selected: number, total: number, shown: number): number {
  return Math.max(0, Math.min(selected - Math.floor(shown / 2), total - shown));
}
