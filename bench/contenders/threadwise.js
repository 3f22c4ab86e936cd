// threadwise with all defaults, and with other transports and dispatches.
import { NotAvailable } from '../driver/not-available.js';
import { tasksUrl } from './workers/tasks-url.js';

/** threadwise with all defaults. */
export const isOurs = ({ id }) => id === 'threadwise';

/**
 * @param placement the option of `createPool`: where calls run @param options further options of it. A variant whose options
 *   this version of the library refuses is not available.
 */
export async function open({ threads, isCold = false, placement, isolation }, options) {
  const { createPool } = await import('threadwise');
  const asked = { ...(placement && { placement }), ...(isolation && { isolation }) };
  const pool = create(
    createPool,
    threads,
    Object.keys(asked).length === 0 ? options : { ...options, ...asked },
  );
  if (!isCold) await pool.ready;
  return {
    call: (name, argument, transfer) => pool.run(name, [argument], transfer && { transfer }),
    lease: (byteLength) => pool.lease(byteLength),
    stats: () => pool.stats(),
    close: () => pool.close(),
  };
}

function create(createPool, threads, options) {
  try {
    return createPool(tasksUrl, { threads, ...options });
  } catch (error) {
    // If the variant has no options, a refusal is a mistake of this file.
    if (options !== undefined && error.code === 'ERR_OPTION') throw new NotAvailable(error.message);
    throw error;
  }
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
