/** A report on a terminal: the verdict, why, and what to do; with --verbose all figures. No line is too wide for it, and no text of the user's steers it. */
import { counted, NONE } from '../format/figures.js';
import { inColumns, truncated, widthOf } from '../format/text.js';
import { type Report, type Row, shortened, type Table } from './model.js';

export interface TerminalOptions {
  readonly columns: number;
  readonly isColor: boolean;
  readonly isVerbose?: boolean; // whether to show all figures, and not only what fits into a few lines
}

const CODES = { good: '1;32', bad: '1;31', warn: '33', bold: '1', dim: '2' }; // ECMA-48 8.3.117
const RESET = '\x1b[0m';

type Style = keyof typeof CODES;

export interface Line {
  readonly text: string;
  readonly style?: Style | undefined;
}

const STYLES = { pays: 'good', 'does not': 'bold', mixed: 'bold', unknown: 'warn' } as const;
const INDENT = '  ';

export function renderTerminal(report: Report, options: TerminalOptions): string {
  const columns = Math.max(1, Math.floor(options.columns));
  const verdict = wrapped(report.findings.verdict.sentence, columns, '', STYLES[report.tone]);
  const code = codeLines(report.recommended, columns);
  const room = FEW - 1 - verdict.length - code.length;
  const rest = options.isVerbose ? allLines(report, columns, code) : fewLines(report, columns, code, room);
  return painted([...verdict, ...rest], { ...options, columns });
}

function allLines({ findings, figures }: Report, columns: number, code: readonly Line[]): Line[] {
  return [
    ...listed('Why', findings.reasons, columns, '-'),
    ...listed('Before you believe it', findings.warnings, columns, '!', 'warn'),
    ...(code.length === 0 ? [] : [...heading('Recommended', columns), ...code]),
    ...figures.flatMap((each) => {
      if (typeof each === 'function') return each(columns);
      return each === undefined || each.isLong ? [] : titledTable(each, columns);
    }),
  ];
}

const FEW = 14; // how many lines are read at a glance; the path of a report is one more
const MOST_WARNINGS = 2;

/** Code and where the rest is; before them as many reasons and warnings as there is room for, the first of each first. */
function fewLines({ findings }: Report, columns: number, code: readonly Line[], room: number): Line[] {
  const { reasons, warnings } = findings;
  const point = (order: number, mark: '-' | '!', text: string, style?: Style) => {
    return { order, mark, lines: wrapped(text, columns, `${INDENT}${mark} `, style) };
  };
  const points = [
    ...reasons.map((text, i) => point(i, '-', text)),
    ...warnings.slice(0, MOST_WARNINGS).map((text, i) => point(i + 0.5, '!', text, 'warn')),
  ].sort((a, b) => a.order - b.order);
  let left = room;
  const shown = points.filter(({ lines }) => {
    const fits = lines.length <= left;
    if (fits) left -= lines.length;
    return fits;
  });
  const marked = (wanted: '-' | '!') => shown.filter(({ mark }) => mark === wanted);
  const hidden = warnings.length - marked('!').length;
  const rest = hidden === 0 ? 'All figures' : `${counted(hidden, 'more warning')}, and all figures`;
  return [
    ...[...marked('-'), ...marked('!')].flatMap(({ lines }) => lines),
    ...code,
    ...wrapped(`${rest}: --verbose, or --out report.html`, columns, '', 'dim'),
  ];
}

/** Code to paste, with what is to be said before it. */
function codeLines(recommended: Report['recommended'], columns: number): Line[] {
  if (recommended === undefined) return [];
  const lines = recommended.code(columns - INDENT.length).map((text) => ({ text: `${INDENT}${text}` }));
  const before = wrapped(recommended.before, columns, INDENT);
  return lines.length === 0 ? before : [...before, { text: '' }, ...lines];
}

export function titledTable(table: Table, columns: number): Line[] {
  return [...heading(table.title, columns), ...tableLines(table, columns)];
}

function heading(title: string, columns: number, style: Style = 'bold'): Line[] {
  return [{ text: '' }, ...wrapped(title, columns, '', style)];
}

/** None where there are no texts. */
export function listed(
  title: string,
  texts: readonly string[],
  columns: number,
  mark: string,
  style?: Style,
  titleStyle?: Style,
): Line[] {
  if (texts.length === 0) return [];
  const items = texts.flatMap((text) => wrapped(text, columns, `${INDENT}${mark} `, style));
  return [...heading(title, columns, titleStyle), ...items];
}

export function painted(lines: readonly Line[], { columns, isColor }: TerminalOptions): string {
  const texts = lines.map(({ text, style }) => {
    const cut = truncated(text.trimEnd(), columns);
    return isColor && style !== undefined && cut !== '' ? `\x1b[${CODES[style]}m${cut}${RESET}` : cut;
  });
  return `${texts.join('\n')}\n`;
}

/** @param first stands before the first line; the other lines are indented by its width */
export function wrapped(text: string, columns: number, first = '', style?: Style): Line[] {
  const rest = ' '.repeat(widthOf(first));
  const width = Math.max(1, columns - rest.length);
  const lines: string[] = [];
  for (const word of pieces(shortened(text), width)) {
    const last = lines.at(-1) ?? '';
    const longer = last === '' ? word : `${last} ${word}`;
    if (widthOf(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines.map((each, i) => ({ text: (i === 0 ? first : rest) + each, style }));
}

/** The words of the text; a word that is wider than a line is cut into pieces. */
function pieces(text: string, width: number): string[] {
  return text.split(' ').flatMap((word) => {
    const parts = [''];
    for (const character of word) {
      const last = parts.at(-1)!;
      if (last !== '' && widthOf(last + character) > width) parts.push('');
      parts[parts.length - 1] += character;
    }
    return parts;
  });
}

/** The table in columns if there is room, else each cell on a line of its own, with the name of its column. */
function tableLines(table: Table, columns: number): Line[] {
  const [head = [], ...rows] = [table.head, ...table.rows].map((row) => row.map(shortened));
  const isPairs = head.length === 2;
  const aligns = head.map((_, i) => (i === 0 || isPairs ? 'left' : 'right'));
  const lines = inColumns([head, ...rows], aligns).map((line) => `${INDENT}${line}`);
  if (lines.every((text) => widthOf(text) <= columns)) {
    return lines.map((text, i) => ({ text, style: i === 0 ? 'dim' : undefined }));
  }
  return rows.flatMap(([name = '', ...cells]: Row) => {
    if (isPairs) return wrapped(`${name}: ${cells[0]}`, columns, INDENT);
    const inner = cells.flatMap((cell, i) =>
      cell === NONE ? [] : wrapped(`${head[i + 1]}: ${cell}`, columns, INDENT.repeat(2)),
    );
    return [...wrapped(`${head[0]} ${name}`, columns, INDENT), ...inner];
  });
}
