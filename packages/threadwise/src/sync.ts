/** `threadwise/sync`: structures that threads share. A list, and an entry of its own: it is for Node.js, and no browser loads it. */
export { Channel, type ChannelOptions } from './sync/channel.js';
export { Counter } from './sync/counter.js';
export { Barrier, Latch } from './sync/gates.js';
export { type Hold, Mutex } from './sync/mutex.js';
export type { Structure, WaitOptions } from './sync/waiting.js';
