/** The sizes of blocks in an arena, and of the spans they are cut from: tables, as every take looks here. */

import { UNIT_BYTES } from './arena-address.js';

export const PAGE_BYTES = 4096;

/** The smallest class, in bytes: less than that fits a cell. */
const MIN_CLASS_BYTES = 256;
/** The last power of two with classes, in bytes: copying more takes so long that allocating it is cheap. */
const MAX_POWER_BYTES = 2 ** 20;
/** The smallest span, in bytes: 64 of the smallest blocks. Larger ones empty less often. Chosen by hand. */
const MIN_SPAN_BYTES = 16 * 1024;

/**
 * Sizes of blocks in bytes. Three for each power of two: itself, an eighth above it, since payloads are often
 * a power of two and a header, and half above it. Less than a quarter of a block above 256 bytes is waste.
 */
export const SIZES = Int32Array.from(sizes());
export const LARGEST = SIZES[SIZES.length - 1]!;
export const UNITS = SIZES.map((size) => size / UNIT_BYTES);
/** How many pages a span of each class has, unless there are fewer side by side. */
export const SPAN_PAGES = SIZES.map(pagesOfSpan);
/** The class of so many units. */
export const CLASS_OF = classTable();

function sizes(): number[] {
  const all: number[] = [];
  for (let size = MIN_CLASS_BYTES; size <= MAX_POWER_BYTES; size *= 2) {
    all.push(size, size + Math.max(UNIT_BYTES, size / 8), size * 1.5);
  }
  return all.slice(0, -1); // the last but one is 1 MiB and a header
}

/** As few pages as a span may have, or up to twice as many if that leaves a smaller share of them over. */
function pagesOfSpan(size: number): number {
  const fewest = Math.ceil(Math.max(size, MIN_SPAN_BYTES) / PAGE_BYTES);
  const waste = (pages: number) => ((pages * PAGE_BYTES) % size) / pages;
  let best = fewest;
  for (let pages = fewest + 1; pages <= 2 * fewest; pages++) if (waste(pages) < waste(best)) best = pages;
  return best;
}

function classTable(): Uint8Array {
  const table = new Uint8Array(LARGEST / UNIT_BYTES + 1);
  let kind = 0;
  for (let units = 0; units < table.length; units++) {
    if (units * UNIT_BYTES > SIZES[kind]!) kind++;
    table[units] = kind;
  }
  return table;
}
