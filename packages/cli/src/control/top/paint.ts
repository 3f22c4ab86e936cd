/** Lines as what a terminal understands: one frame, written over the one before without clearing it first. */

import { widthOf } from '../text.js';
import { type Line, type Style, textOf } from './line.js';

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

/** @param lines as many as the screen has rows, none wider than its columns */
export function paint(lines: readonly Line[], columns: number, hasColour: boolean): string {
  const painted = lines.map((line) => {
    // Behind a full line the cursor is still on its last column: erasing would begin with that.
    const rest = widthOf(textOf(line)) < columns ? ERASE_TO_END_OF_LINE : '';
    return paintLine(line, hasColour) + rest;
  });
  return HOME + painted.join('\r\n');
}

function paintLine(line: Line, hasColour: boolean): string {
  return line
    .map(({ text, style }) => {
      if (style === undefined) return text;
      const code = codes[style][hasColour ? 0 : 1];
      return `\x1b[${code}m${text}${RESET}`;
    })
    .join('');
}
