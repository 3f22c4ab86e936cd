/** Cuts text from elsewhere, and never within a character of two code units: half of one is no character, and cannot be written. */

/** The first `length` UTF-16 code units, or one less where the last of them would be half of a character. */
export function beginningOf(text: string, length: number): string {
  const isInside = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(length - 1, length + 1));
  return text.slice(0, isInside ? length - 1 : length);
}

/** Cuts a text that is too long, and adds an ellipsis. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${beginningOf(text, length)}…`;
}
