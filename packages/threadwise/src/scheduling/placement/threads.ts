/** Every call to a thread. */
import type { Placement } from '../../core/contracts.js';

export const threads: Placement = { name: 'threads', usesThreads: true, learner: undefined };
