/** What the words of shared memory are called, for whoever has to understand how a test came to fail. */
import type { SharedExchange } from '../main/exchange.js';
import * as layout from '../layout.js';

const { CELL_BYTES, claimedOf, claimsOf, dismissedOf, PARKED, pulledOf, SPINNING, wakeupsOf } = layout;
const BOARD: readonly (readonly [number, string])[] = [
  [layout.TAIL, 'tail'],
  [layout.HEAD, 'head'],
  [layout.MAIN_PARKED, 'mainParked'],
  [layout.SEATS_USED, 'seatsUsed'],
  [layout.SEGMENTS_TOLD, 'segmentsTold'],
  [PARKED, 'parked'],
  [SPINNING, 'spinning'],
  [layout.DOZING, 'dozing'],
  [layout.RESERVED, 'reserved'],
];
const OWN: readonly (readonly [number, string])[] = [
  [layout.DONE_TAIL, 'doneTail'],
  [layout.MAIL_TAIL, 'mailTail'],
  [layout.MAIL_HEAD, 'mailHead'],
  [layout.STREAM_READ, 'streamRead'],
];
const CELL_WORDS = CELL_BYTES / 4;

/** @param owns the memory of each line, in order */
export function wordName(
  buffer: ArrayBufferLike,
  at: number,
  { board, cells }: SharedExchange,
  owns: readonly ArrayBufferLike[],
): string {
  if (buffer === board.words.buffer) return boardWordName(at);
  if (buffer === cells.words.buffer) return `word ${at % CELL_WORDS} of cell ${Math.floor(at / CELL_WORDS)}`;
  const line = owns.indexOf(buffer);
  const own = OWN.find(([place]) => place === at)?.[1];
  return line >= 0 && own !== undefined ? `${own} of w${line}` : `word ${at}`;
}

function boardWordName(at: number): string {
  const found = BOARD.find(([place]) => place === at);
  if (found !== undefined) return found[1];
  for (let seat = 0; seat < layout.SEATS && wakeupsOf(seat) <= at; seat++) {
    if (at === wakeupsOf(seat)) return `wakeups of seat ${seat}`;
    if (at === dismissedOf(seat)) return `dismissed of seat ${seat}`;
    if (at === pulledOf(seat)) return `pulled of seat ${seat}`;
    if (at === claimedOf(seat)) return `claimed of seat ${seat}`;
    if (at >= claimsOf(seat) && at < claimsOf(seat) + layout.MAX_CLAIM) return `claims of seat ${seat}`;
  }
  return `word ${at} of the board`;
}
