// Where calls can run: the ways that this experiment compares.

/** On threads, as in every pool. */
export const ACROSS = { id: 'across' };
/** On threads or on the calling thread, where the pool measures that it is cheaper. */
export const AUTO = { id: 'auto', needs: ['placement'] };

/** All on the calling thread. */
export const INLINE = { id: 'all inline', needs: ['placement'] };

/** Without a pool: a loop that awaits nothing, and calls that are awaited like those of a pool. */
export const PLAIN = { id: 'plain loop' };
export const AWAITED = { id: 'awaited' };

const PLACEMENTS = { across: 'threads', auto: 'auto', [INLINE.id]: 'inline' };

/** Adds to the context of a sample the placement of its way. The contender inline has none. */
export function placed(context) {
  const placement = PLACEMENTS[context.way];
  // A pool that runs everything inline has only this thread.
  return { ...context, placement, threads: placement === 'inline' ? 1 : context.threads };
}
