/** Every call on the calling thread: for tests, debugging, and targets without threads. */
import type { Placement } from '../../core/contracts.js';

export const inline: Placement = { name: 'inline', usesThreads: false, learner: undefined };
