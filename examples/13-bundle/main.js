// The command: `node main.js [--modules 300] [--threads n]`.
import { availableThreads } from 'threadwise';
import { readOptions } from '../options.js';
import { gain } from '../timing.js';
import { compare } from './compare.js';

const options = readOptions({ modules: 300, threads: availableThreads() });
const { modules, threads } = options;
const { startMs, bytes, typescript, typescriptPool, esbuildSync, esbuildAsync, esbuildPool } =
  await compare(options);
const ms = (value) => `${value.toFixed(0)} ms`;
console.log(
  `${modules} modules, a bundle of ${bytes} bytes; all ways make the same one, and it computes what it should.`,
);
console.log(
  `TypeScript: ${gain({ threads, alone: typescript, together: typescriptPool })}; ` +
    `before that, the threads took ${ms(startMs)} to load it.`,
);
console.log(
  `esbuild: ${gain({ threads, alone: esbuildSync, together: esbuildPool })}; ` +
    `by its own asynchronous function, which uses all cores without a pool, it took ${ms(esbuildAsync)}.`,
);
