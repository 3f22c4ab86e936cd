/** Addresses in an arena: `segment << 16 | offset / 64`. Workers need no more of an arena than to read these. */

/** What addresses count in. */
export const UNIT_BITS = 6;
export const UNIT_BYTES = 2 ** UNIT_BITS;
/** Bits of an address that say the unit within a segment: 2^16 units are 4 MiB. */
export const OFFSET_BITS = 16;
const OFFSET_MASK = 2 ** OFFSET_BITS - 1;

/** Which segment an address means. */
export function segmentOf(address: number): number {
  return address >> OFFSET_BITS;
}

/** Which byte of its segment an address means. */
export function offsetOf(address: number): number {
  return (address & OFFSET_MASK) << UNIT_BITS;
}
