/** One of several processes that read: a loop of readFileSync over the paths that it is sent. Started by parallel.ts. */
import { syncLoop } from './one-thread.js';
import { countedOf, Tally } from './tally.js';

process.on('message', (paths: readonly string[]) => {
  const tally = new Tally();
  syncLoop(paths, tally);
  process.send?.(countedOf(tally));
});
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
process.send?.('ready');
