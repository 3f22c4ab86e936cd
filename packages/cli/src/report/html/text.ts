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

/** In characters: what is shorter stays on one line, where a hyphen could break it. */
const SHORT_CODE = 24;
/** A figure and its unit: they stay on one line. */
const BEFORE_UNIT = /(?<=\d) (?=(?:x|[mun]?s|min|[KMG]iB|bytes?)\b|%)|(?<=±) /g;

/** The same, with what our sentences have in backticks as code. */
export function prose(text: string): string {
  return escaped(text)
    .replace(BEFORE_UNIT, '\u00a0')
    .replace(/`([^`]+)`/g, (_, code: string) => {
      const whole = code.length <= SHORT_CODE ? ' class="whole"' : '';
      return `<code${whole}>${code}</code>`;
    });
}
