/** What tests of the arena do again and again. */
import type { Arena } from '../main/arena.js';

/** Takes blocks until there are no more. */
export function fill(arena: Arena, byteLength: number): number[] {
  const taken: number[] = [];
  for (let address = arena.take(byteLength); address !== -1; address = arena.take(byteLength)) {
    taken.push(address);
  }
  return taken;
}

export function freeAll(arena: Arena, addresses: readonly number[]): void {
  for (const address of addresses) arena.free(address);
}
