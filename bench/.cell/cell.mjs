import { files } from '../fixtures/files.js';
import { openCoordinated } from '../experiments/hash-coordinator/as-published.js';
import { measurePasses, readAndHash } from '../experiments/crossing/hashing.js';
import { open } from '../contenders/threadwise.js';
const [which, threads, passes = '3', count='1024'] = process.argv.slice(2);
const { given, remove } = files.make({ files: +count });
const budget = { warmUpPasses: 2, passes: +passes };
let values, extra='';
if (which === 'published') {
  const crew = await openCoordinated({ threads: +threads });
  values = await measurePasses(budget, given.digest, () => crew.hashFolder(given.folder));
  await crew.close();
} else {
  const [dispatch, way] = which.split(':');
  const pool = await open({ threads: +threads }, { dispatch });
  values = await measurePasses(budget, given.digest, () => readAndHash(pool, given.folder, way));
  extra = JSON.stringify(pool.stats().coordinator?.utilization ?? '');
  await pool.close();
}
console.log(which.padEnd(20), String(threads).padStart(2), Object.entries(values).map(([k, v]) => `${k} ${v.toFixed(0)}`).join('  '), extra);
remove();
