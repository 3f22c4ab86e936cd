/** Escapes text from elsewhere, so that a page shows it, and nothing in it acts as markup. */
import { shortened } from '../model.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for the content of an element or an attribute in quotes. */
export function escaped(text: string): string {
  return shortened(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** How many characters code may have that is kept on one line, though a hyphen would let it break. */
const SHORT_CODE = 24;
/** A figure and its unit: they stay on one line. */
const BEFORE_UNIT = /(?<=\d) (?=(?:x|[mun]?s|min|[KMG]iB|bytes?)\b|%)|(?<=±) /g;

/** `escaped`, with what our sentences put in backticks as code. */
export function prose(text: string): string {
  return escaped(text)
    .replace(BEFORE_UNIT, '\u00a0')
    .replace(/`([^`]+)`/g, (_, code: string) => {
      const whole = code.length <= SHORT_CODE ? ' class="whole"' : '';
      return `<code${whole}>${code}</code>`;
    });
}
