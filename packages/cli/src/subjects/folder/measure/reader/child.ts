/** One of several processes that read: a loop of readFileSync over the paths that it is sent. Started by parallel.ts. */
import { newTally, ONE_THREAD } from './one-thread.js';

process.on('message', (paths: readonly string[]) => {
  const tally = newTally();
  ONE_THREAD['sync-loop'](paths, tally);
  process.send?.(tally);
});
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
process.send?.('ready');
