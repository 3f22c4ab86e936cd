// Where calls can run: what the scenarios of this experiment hold against each other.

/** On threads, as with every pool. */
export const ACROSS = { id: 'across' };
/** Where the pool finds it cheaper. */
export const AUTO = { id: 'auto', needs: ['placement'] };

/** On the calling thread, all of them. */
export const INLINE = { id: 'all inline', needs: ['placement'] };

/** Without a pool: a loop that awaits nothing, and calls that are awaited as those of a pool are. */
export const PLAIN = { id: 'plain loop' };
export const AWAITED = { id: 'awaited' };

const PLACEMENTS = { across: 'threads', auto: 'auto', [INLINE.id]: 'inline' };

/** The context of a sample, with the placement that its way asks for. Inline there is no way. */
export function placed(context) {
  const placement = PLACEMENTS[context.way];
  // A pool that runs everything here has this thread alone.
  return { ...context, placement, threads: placement === 'inline' ? 1 : context.threads };
}

/** Ours with all defaults: how tasks cross is another experiment's question. */
export const isOurs = ({ id }) => id === 'threadwise';
