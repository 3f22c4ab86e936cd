/**
 * A line of the screen: pieces of text with a style each. Styles emphasise; what they mean is always said in
 * words, too.
 */

import { truncated, widthOf } from '../text.js';

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
  const kept: Span[] = [];
  for (const { text, style } of line) {
    const part = truncated(text, left);
    if (part !== '') kept.push({ text: part, style });
    // What was cut has its ellipsis: nothing may follow it, though a column be free.
    left = part === text ? left - widthOf(part) : 0;
  }
  return kept;
}

/** Blanks up to `width`, so that a background reaches the edge. */
export function filled(line: Line, width: number, style?: Style): Line {
  const rest = width - widthOf(textOf(line));
  return Number.isFinite(rest) && rest > 0 ? [...line, { text: ' '.repeat(rest), style }] : line;
}

/** As many of the pieces as fit, the first ones first; the very first at least in part. */
export function joined(pieces: readonly string[], width: number, separator = '  '): string {
  let text = '';
  for (const piece of pieces) {
    const longer = text === '' ? piece : text + separator + piece;
    if (widthOf(longer) > width) return text === '' ? truncated(piece, width) : text;
    text = longer;
  }
  return text;
}

/**
 * Breaks a text at blanks into at most `lines` lines. What does not fit into the last one, and words too
 * long, are cut.
 */
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
