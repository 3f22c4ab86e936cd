/** Text from elsewhere on a terminal: names of pools and functions are chosen by programs, and must not steer the screen. */
import { eastAsianWidth } from 'get-east-asian-width';

/** What could move the cursor, change colours, hide, or turn the writing: control and format characters, halves of some, separators of lines. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Characters that ask for another look of the character before them: terminals disagree on how wide it is then. */
const VARIATION_SELECTORS = /[\uFE00-\uFE0F]/g;

/** The text on one line, without control characters, which a terminal would obey. */
export function safeText(text: string): string {
  return text.replace(VARIATION_SELECTORS, '').replace(UNSAFE, '\uFFFD');
}

const MARK = /^\p{M}$/u;
const MAX_MARKS = 8; // combining marks in a row: a name of marks alone has no width, and could have any length

function widthOfCharacter(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x300) return 1;
  return MARK.test(character) ? 0 : eastAsianWidth(code);
}

/** How many columns of a terminal safe text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

/** Cuts safe text to at most `width` columns; what is cut ends in an ellipsis. */
export function truncated(text: string, width: number): string {
  if (width <= 0) return '';
  let kept = '';
  let used = 0;
  let short = ''; // the longest beginning of the text that an ellipsis still fits behind
  let marks = 0;
  for (const character of text) {
    const own = widthOfCharacter(character);
    marks = own === 0 ? marks + 1 : 0;
    if (marks > MAX_MARKS) continue;
    if (used + own > width) return `${short}…`;
    kept += character;
    used += own;
    if (used < width) short = kept;
  }
  return kept;
}

/** Safe text in exactly `width` columns. */
export function fitted(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const cut = truncated(text, width);
  const blank = ' '.repeat(Math.max(0, width - widthOf(cut)));
  return align === 'left' ? cut + blank : blank + cut;
}

/** Rows of safe text in columns, two spaces apart. @param aligns the alignment of each column; 'left' by default */
export function inColumns(rows: readonly (readonly string[])[], aligns: readonly ('left' | 'right')[] = []) {
  const width = (i: number) => Math.max(...rows.map((row) => widthOf(row[i] ?? '')));
  const widths = (rows[0] ?? []).map((_, i) => width(i));
  return rows.map((row) =>
    row
      .map((cell, i) => fitted(cell, widths[i]!, aligns[i]))
      .join('  ')
      .trimEnd(),
  );
}

/** Whether a stream is a terminal on which something can be overwritten and coloured: one with TERM=dumb can only print. */
export function canDrawOn(stream: { readonly isTTY?: boolean } | undefined): boolean {
  return stream?.isTTY === true && process.env.TERM !== 'dumb';
}
