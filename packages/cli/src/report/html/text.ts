/** Text from elsewhere in a page: it is read, and nothing else. */
import { safeText, truncated } from '../../format/text.js';

/** In characters. A message of an error may be a whole document. */
const LONGEST_TEXT = 600;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For an element's content and for attributes in quotes. */
export function escaped(text: string): string {
  return truncated(safeText(text), LONGEST_TEXT).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** The same, with what our sentences have in backticks as code. */
export function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
