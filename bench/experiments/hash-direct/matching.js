// Synchronous work of a main thread other than reading: a regular expression over a message.

/** Words of four letters and more, with a digit behind them. Random bytes have few of them, but each byte is looked at. */
const WORDS = /[a-z]{4,}\d/gi;

/** How many matches there are in some bytes. */
export function matchesOf(bytes) {
  return bytes.latin1Slice(0, bytes.length).match(WORDS)?.length ?? 0;
}
