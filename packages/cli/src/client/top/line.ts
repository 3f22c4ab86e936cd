/**
 * A line of the screen: pieces of text with a style each, and what a terminal gets of it. Styles emphasise; what they
 * mean is always said in words, too.
 */

import { truncated, widthOf } from '../../format/text.js';

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
    // What was cut has its ellipsis: nothing may follow it, though a column be free.
    left = part === text ? left - widthOf(part) : 0;
    return part === '' ? [] : [{ text: part, style }];
  });
}

/** Blanks up to `width`, so that a background reaches the edge. */
export function filled(line: Line, width: number, style?: Style): Line {
  const rest = width - widthOf(textOf(line));
  return Number.isFinite(rest) && rest > 0 ? [...line, { text: ' '.repeat(rest), style }] : line;
}

/** As many of the pieces as fit, the first ones first; the very first at least in part. */
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
 * One frame, written over the one before without clearing it first.
 * @param lines as many as the screen has rows, none wider than its columns
 */
export function paint(lines: readonly Line[], columns: number, hasColour: boolean): string {
  const paintSpan = ({ text, style }: Span): string =>
    style === undefined ? text : `\x1b[${codes[style][hasColour ? 0 : 1]}m${text}${RESET}`;
  const painted = lines.map((line) => {
    // Behind a full line the cursor is still on its last column: erasing would begin with that.
    const rest = widthOf(textOf(line)) < columns ? ERASE_TO_END_OF_LINE : '';
    return line.map(paintSpan).join('') + rest;
  });
  return HOME + painted.join('\r\n');
}
