/** Where the calls of a pool run, by the names that users give: each makes a placement for one pool. */
import type { Placement } from '../../core/contracts.js';
import { autoPlacement } from './auto.js';

export const PLACEMENTS: Readonly<Record<'threads' | 'inline' | 'auto', () => Placement>> = {
  /** Every call runs on a thread. */
  threads: () => ({ name: 'threads', usesThreads: true, learner: undefined }),
  /** Every call runs on the calling thread: for tests, debugging, and targets without threads. */
  inline: () => ({ name: 'inline', usesThreads: false, learner: undefined }),
  auto: autoPlacement,
};
