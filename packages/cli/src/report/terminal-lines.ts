/** Text and tables as lines of a terminal, none wider than it is; nothing of the user's steers it. */

import Table from 'cli-table3';
import { safeText, truncated, widthOf } from '../format/text.js';
import { noBorders } from '../format/no-borders.js';
import { NONE } from './figures.js';
import type { Table as Contents } from './tables.js';

export interface TerminalOptions {
  readonly columns: number;
  readonly isColor: boolean;
}

export type Style = 'good' | 'bad' | 'warn' | 'bold' | 'dim';

export interface Line {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** Select graphic rendition, ECMA-48 8.3.117. */
const CODES: Readonly<Record<Style, string>> = { good: '1;32', bad: '1;31', warn: '33', bold: '1', dim: '2' };
const RESET = '\x1b[0m';
/** In characters. A message of an error may be a whole document. */
const LONGEST_TEXT = 600;
const INDENT = '  ';

export function painted(lines: readonly Line[], { columns, isColor }: TerminalOptions): string {
  const texts = lines.map(({ text, style }) => {
    const cut = truncated(text.trimEnd(), columns);
    return isColor && style !== undefined && cut !== '' ? `\x1b[${CODES[style]}m${cut}${RESET}` : cut;
  });
  return `${texts.join('\n')}\n`;
}

/** @param first before the first line; as many blanks are before the others */
export function wrapped(text: string, columns: number, first = '', style?: Style): Line[] {
  const rest = ' '.repeat(widthOf(first));
  const width = Math.max(1, columns - rest.length);
  const lines: string[] = [];
  let line = '';
  for (const word of pieces(truncated(safeText(text), LONGEST_TEXT), width)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].map((each, i) => ({ text: (i === 0 ? first : rest) + each, style }));
}

/** The words; those that no line could hold, in pieces. */
function pieces(text: string, width: number): string[] {
  return text.split(' ').flatMap((word) => {
    if (widthOf(word) <= width) return word;
    const parts = [''];
    for (const character of word) {
      if (widthOf(parts.at(-1)! + character) > width) parts.push('');
      parts[parts.length - 1] += character;
    }
    return parts.filter((part) => part !== '');
  });
}

/** A table side by side where there is room, else one row below the other, each with the names of its columns. */
export function tableLines(table: Contents, columns: number): Line[] {
  const safe = { ...table, head: table.head.map(cellText), rows: table.rows.map((row) => row.map(cellText)) };
  const lines = sideBySide(safe);
  return lines.every(({ text }) => widthOf(text) <= columns) ? lines : below(safe, columns);
}

function cellText(text: string): string {
  return truncated(safeText(text), LONGEST_TEXT);
}

function sideBySide({ head, rows }: Contents): Line[] {
  const isPairs = head.length === 2;
  const table = new Table({
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [], compact: true },
    colAligns: head.map((_, i) => (i === 0 || isPairs ? 'left' : 'right')),
  });
  table.push([...head], ...rows.map((row) => [...row]));
  const lines = table.toString().split('\n');
  return lines.map((line, i) => ({
    text: `${INDENT}${line.trimEnd()}`,
    style: i === 0 ? 'dim' : undefined,
  }));
}

/** What has two columns is read as it is: `name: value`. */
function below({ head, rows }: Contents, columns: number): Line[] {
  const isPairs = head.length === 2;
  return rows.flatMap(([name = '', ...cells]) => {
    if (isPairs) return wrapped(`${name}: ${cells[0]}`, columns, INDENT);
    const inner = cells.flatMap((cell, i) =>
      cell === NONE ? [] : wrapped(`${head[i + 1]}: ${cell}`, columns, INDENT.repeat(2)),
    );
    return [...wrapped(`${head[0]} ${name}`, columns, INDENT), ...inner];
  });
}
