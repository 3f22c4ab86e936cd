/** A report: what every view shows, for every subject. The user's text in it is not escaped: that is up to each view. */
import type { Findings } from '../experiment/rules.js';
import type { Machine } from '../experiment/machine.js';
import type { Estimate } from '../experiment/statistics.js';
import { bytes, count, counted, NONE, shown } from '../format/figures.js';
import { safeText, truncated } from '../format/text.js';
import type { Chart } from './html/chart.js';
import type { Line } from './terminal.js';

export interface Table {
  readonly title: string;
  readonly head: Row;
  readonly rows: readonly Row[]; // the first cell says what the row is about
  readonly isLong?: boolean; // whether the table is too long for a terminal, and is left out there
}

export type Row = readonly string[];

/** A table whose cells are the darker the larger their figures are. */
export interface HeatTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly { readonly name: string; readonly cells: readonly (Estimate | undefined)[] }[];
  readonly format: (value: number) => string;
}

export interface Paragraph {
  readonly title: string;
  readonly text: string;
}

/** A part of a section. A string is a paragraph; undefined shows nothing. */
export type Block = string | { readonly list: readonly string[] } | Table | HeatTable | Chart | undefined;

export interface Section {
  readonly id: string; // unique on the page
  readonly title: string;
  readonly isWide?: boolean; // takes both columns of the page
  readonly blocks: readonly Block[]; // a section whose blocks are all undefined is left out
}

export interface Report {
  readonly command: string; // `threadwise analyze`
  readonly subject: string;
  readonly findings: Findings;
  readonly tone: Tone;
  readonly badge?: string; // the verdict in two words
  readonly lead?: string; // below the heading of the page
  readonly keys?: readonly (readonly [name: string, value: string, more?: string])[];
  readonly meaning?: readonly Paragraph[]; // the verdict for a reader who has never used threads
  readonly recommended?: {
    readonly before: string;
    /** Returns the lines, broken to fit into the columns as far as the words allow; empty: there is no code. */
    readonly code: (columns: number) => readonly string[];
    readonly others?: readonly string[]; // other ways of calling
  };
  /** The tables of the views that are text; a function draws a plot for a terminal. */
  readonly figures: readonly (Table | ((columns: number) => Line[]) | undefined)[];
  readonly sections: () => readonly Section[]; // of the page; called only where there is a page
}

/** How and when a page was made. */
export interface Made {
  readonly at: Date;
  readonly command: string; // the command as the user typed it
  readonly version: string; // the version of the command `threadwise`
}

/** pays: something is to be gained by a change. does not: nothing is. */
export type Tone = 'pays' | 'does not' | 'mixed' | 'unknown';

/** A table without the columns that nothing was measured for; undefined where that leaves nothing. */
export function tableOf(title: string, head: Row, rows: readonly Row[], isLong = false): Table | undefined {
  const kept = head.map((_, i) => i === 0 || rows.some((row) => row[i] !== NONE));
  if (rows.length === 0 || kept.filter(Boolean).length < 2) return undefined;
  const keep = (row: Row): Row => row.filter((_, i) => kept[i]);
  return { title, head: keep(head), rows: rows.map(keep), isLong };
}

/** A table of names and values, without the values that are missing. */
export function pairsTable(title: string, rows: readonly Row[], head: Row = ['what', 'value']) {
  const known = rows.filter(([, value]) => value !== NONE);
  return tableOf(title, head, known);
}

export function tablesSection(id: string, title: string, ...tables: readonly (Table | undefined)[]): Section {
  return { id, title, isWide: true, blocks: tables };
}

/** The rows on the machine, for the table that says how it was measured. */
export function machineRows(machine: Machine): Row[] {
  const { cpu, cores, availableThreads, memoryBytes, node, platform, loadBefore } = machine;
  const wanted = (load: number) => `on average ${load.toFixed(1)} threads wanted a core`;
  return [
    ['processor', cpu],
    ['cores', `${count(cores)}; the library would use up to ${counted(availableThreads, 'thread')}`],
    ['memory', shown(memoryBytes, bytes)],
    ['Node.js', `${node}, ${platform}`],
    ['load before', shown(loadBefore, wanted)],
  ];
}

/** Text from elsewhere on one line, as every view shows it: an error's message may be a whole document. */
export function shortened(text: string): string {
  return truncated(safeText(text), 600);
}

/** A file name that needs no escaping in code, and is not too long to read. */
const PLAIN_NAME = /^[\p{L}\p{M}\p{N}_.@+$ -]{1,60}\.[cm]?[jt]s$/u;

/** The parts of code to paste that differ between ES and CommonJS modules. @param isCommonJs undefined in reports of earlier versions */
export function codeFor(isCommonJs: boolean | undefined) {
  return {
    imported: (name: string, from: string) =>
      isCommonJs ? `const ${name} = require('${from}');` : `import ${name} from '${from}';`,
    placeOf: (file: string) =>
      isCommonJs ? `require.resolve('./${file}')` : `new URL('./${file}', import.meta.url)`,
    loaded: (file: string) => (isCommonJs ? `require('./${file}');` : `await import('./${file}');`),
    // CommonJS has no await outside of a function.
    ran: (name: string) =>
      `const ${isCommonJs ? 'promise =' : 'result = await'} pool.run('${nameInCode(name)}', […]);`,
  };
}

/** The file of a module as the user gave it, for code to paste. */
export function fileInCode(given: string, otherwise: string): string {
  const file = given.replace(/#.*$/s, '').split(/[\\/]/).at(-1) ?? '';
  return PLAIN_NAME.test(file) ? file : otherwise;
}

const PLAIN_EXPORT = /^[\p{ID_Start}_$][\p{ID_Continue}$]{0,59}$/u;

/** The name of an export, for code to paste. */
export function nameInCode(given: string): string {
  return PLAIN_EXPORT.test(given) ? given : 'task';
}
