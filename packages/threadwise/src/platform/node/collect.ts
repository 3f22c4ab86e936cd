/** How a thread lets go of shared memory. */
import { timer } from './clock.js';

/**
 * Makes the engine collect shared buffers of this many bytes, to which nothing refers. The engine does not count shared memory, so this allocates
 * as many bytes that it counts, which are never touched. To be called when no function runs that has seen the buffers.
 */
export function collectShared(byteLength: number): void {
  try {
    void new ArrayBuffer(byteLength);
  } catch {
    // There are no addresses for this many bytes: the buffers stay until the engine collects by itself.
  }
}

/** How many milliseconds pass before a buffer that was not collected is given another try; then twice as many, up to MOST_RETRY_MS. */
const RETRY_MS = 50;
const MOST_RETRY_MS = 2000;

const gone = new FinalizationRegistry<{ isGone: boolean }>((buffer) =>
  Object.assign(buffer, { isGone: true }),
);

/** The same for one buffer, in the next turn; and again while it is there: V8 may not finish a collection before the thread allocates again. */
export function collectSoon(buffer: ArrayBufferLike): void {
  const { byteLength } = buffer;
  const state = { isGone: false };
  gone.register(buffer, state);
  const collect = (waitMs: number) => {
    if (state.isGone) return;
    collectShared(byteLength);
    if (waitMs <= MOST_RETRY_MS) timer(waitMs, () => collect(2 * waitMs));
  };
  timer(0, () => collect(RETRY_MS));
}
