// threadwise with all defaults, and with other transports and dispatches.
import { tasksUrl } from './workers/tasks-url.js';

/** threadwise with all defaults. */
export const isOurs = ({ id }) => id === 'threadwise';

/** @param placement, isolation options of `createPool` @param options further options of it */
export async function open({ threads, isCold = false, placement, isolation }, options) {
  const { createPool } = await import('threadwise');
  const asked = { ...(placement && { placement }), ...(isolation && { isolation }) };
  const pool = createPool(tasksUrl, { threads, ...options, ...asked });
  if (!isCold) await pool.ready;
  return {
    call: (name, argument, transfer) => pool.run(name, [argument], transfer && { transfer }),
    lease: (byteLength) => pool.lease(byteLength),
    stats: () => pool.stats(),
    close: () => pool.close(),
  };
}

export default {
  role: 'ours',
  package: 'threadwise',
  can: ['lease', 'transfer', 'stats', 'placement', 'isolation'],
  variants: {
    threadwise: (settings) => open(settings),
    'threadwise (shared, direct)': (settings) => open(settings, { transport: 'shared', dispatch: 'direct' }),
    'threadwise (coordinator)': (settings) => open(settings, { dispatch: 'coordinator' }),
    'threadwise (message)': (settings) => open(settings, { transport: 'message', dispatch: 'direct' }),
  },
};
