/** The placements (where the calls of a pool run), by the names that users give. Each function makes the placement of one pool. */
import type { Placement } from '../../core/contracts.js';
import { autoPlacement } from './auto.js';

export const PLACEMENTS: Readonly<Record<'threads' | 'inline' | 'auto', () => Placement>> = {
  /** Every call runs on a thread. */
  threads: () => ({ name: 'threads', usesThreads: true, learner: undefined }),
  /** Every call runs on the calling thread: for tests, debugging, and targets without threads. */
  inline: () => ({ name: 'inline', usesThreads: false, learner: undefined }),
  auto: autoPlacement,
};
