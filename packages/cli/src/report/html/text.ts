/** Text from elsewhere in a page: it is read, and nothing else. */
import { shortened } from '../model.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For an element's content and for attributes in quotes. */
export function escaped(text: string): string {
  return shortened(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** The same, with what our sentences have in backticks as code. */
export function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
