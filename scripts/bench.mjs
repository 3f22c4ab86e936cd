// `npm run bench`: the experiments, on what is built from the sources as they are now.
import { prepare } from './prepare.mjs';

await prepare();
await import('../bench/main.js');
