/** Which key means what. The escape sequences behind them are told apart by `node:readline`. */

import type { Key as KeyPress } from 'node:readline';

export type Key =
  | 'up'
  | 'down'
  | 'sort'
  | 'reverse'
  | 'more'
  | 'fewer'
  | 'pause'
  | 'recycle'
  | 'help'
  | 'quit'
  | 'yes'
  | 'no'
  | 'escape'
  | 'interrupt'
  | 'suspend'
  | 'other';

const byCharacter: Readonly<Record<string, Key>> = {
  k: 'up',
  j: 'down',
  s: 'sort',
  S: 'reverse',
  '+': 'more',
  // The same key without shift.
  '=': 'more',
  '-': 'fewer',
  p: 'pause',
  r: 'recycle',
  '?': 'help',
  h: 'help',
  q: 'quit',
  y: 'yes',
  Y: 'yes',
  n: 'no',
  N: 'no',
  // Raw mode gives these as characters.
  '\u0003': 'interrupt',
  '\u001a': 'suspend',
};
const byName: Readonly<Record<string, Key>> = { up: 'up', down: 'down', escape: 'escape' };

export function keyOf({ name, sequence = '', ctrl = false, meta = false }: KeyPress): Key {
  const named = byName[name ?? ''];
  if (named !== undefined) return named;
  // Alt with a letter is another key than the letter.
  if (meta) return 'other';
  const key = byCharacter[sequence];
  // Ctrl-C and Ctrl-Z come as characters of their own; terminals with other protocols name them.
  if (key !== undefined) return key;
  return ctrl && name === 'c' ? 'interrupt' : 'other';
}
