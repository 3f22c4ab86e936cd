// Synchronous work of a main thread that is no reading: a regular expression over a message.

/** Words of four letters and more, with a digit behind them. Of random bytes there are few, and each byte is looked at. */
const WORDS = /[a-z]{4,}\d/gi;

/** How many there are in some bytes. */
export function matchesOf(bytes) {
  return bytes.latin1Slice(0, bytes.length).match(WORDS)?.length ?? 0;
}
