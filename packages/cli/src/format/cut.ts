/** Makes text from elsewhere fit for messages: short, and nothing that a terminal would obey. */
import { stripVTControlCharacters } from 'node:util';

/** Keeps the lines, takes out colours and moves of the cursor, and replaces other control characters. */
export function printable(text: string): string {
  const plain = stripVTControlCharacters(text).replaceAll('\t', '  ');
  return plain.replace(/\r\n?/g, '\n').replace(/(?!\n)\p{Cc}/gu, '\ufffd');
}

/** The first `length` UTF-16 code units, or one less: half of a character could not be written. */
export function beginningOf(text: string, length: number): string {
  const isInside = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(length - 1, length + 1));
  return text.slice(0, isInside ? length - 1 : length);
}

/** Cuts a text that is too long, and adds an ellipsis. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${beginningOf(text, length)}…`;
}
