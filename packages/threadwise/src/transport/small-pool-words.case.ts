/** Words that main and the threads of a test share, to wait for each other. A worker loads this, and so it imports nothing of the library. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Shared by main and all threads of a test. */
export type Words = Int32Array;
/** 1: nobody is to wait any more. */
export const OPEN = 0;
/** How many tasks wait for that, or did. */
export const ARRIVED = 1;
/** How many tasks have run that leave nothing else behind. */
export const RAN = 2;
/** How many workers are on their way out. */
export const LEFT = 3;
export const WORDS = 4;

type WaitAsync = (words: Words, at: number, value: number) => { readonly value: string | Promise<string> };
const { waitAsync } = Atomics as unknown as { waitAsync: WaitAsync };

/** Resolves when a word is at least that much. */
export async function reached(words: Words, which: number, value: number): Promise<void> {
  for (let now = Atomics.load(words, which); now < value; now = Atomics.load(words, which)) {
    await waitAsync(words, which, now).value;
  }
}

export function opened(words: Words): Promise<void> {
  return reached(words, OPEN, 1);
}

/** A main thread that is blocked can be ended by no test runner: it gives up by itself. In milliseconds. */
const GIVE_UP_MS = 60_000;

/** Blocks main until a word is at least that much. */
export function blockUntil(words: Words, which: number, value: number): void {
  for (let now = Atomics.load(words, which); now < value; now = Atomics.load(words, which)) {
    const outcome = Atomics.wait(words, which, now, GIVE_UP_MS);
    if (outcome === 'timed-out') throw new Error(`word ${which} has stayed at ${now}, ${value} was expected`);
  }
}

/** Collects garbage, in turns of the event loop, until something is gone: for ever, where it is not. */
export async function collected(isGone: () => boolean): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  while (!isGone()) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
}
