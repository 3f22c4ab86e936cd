/** `threadwise/sync`: structures that threads share. A list, and an entry of its own: it is for Node.js, and no browser loads it. */
export { Barrier } from './sync/barrier.js';
export { Channel, type ChannelOptions } from './sync/channel.js';
export { Counter } from './sync/counter.js';
export { Latch } from './sync/latch.js';
export { type Hold, Mutex } from './sync/mutex.js';
export type { Structure, WaitOptions } from './sync/waiting.js';
