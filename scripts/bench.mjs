// `npm run bench`: the experiments, on a build of the present sources.
import { prepare } from './prepare.mjs';

await prepare();
await import('../bench/main.js');
