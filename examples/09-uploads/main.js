// The command: `node main.js [--uploads 12] [--kib 1024] [--threads n] [--seed 1]`.
import { availableThreads } from 'threadwise';
import { readOptions } from '../options.js';
import { gain } from '../timing.js';
import { compare } from './compare.js';

const options = readOptions({ uploads: 12, kib: 1024, threads: availableThreads(), seed: 1 });
const { main, zlib, pool } = await compare(options);
const { uploads, kib, threads } = options;
const ms = (value) => `${value.toFixed(0)} ms`;
console.log(
  `${uploads} uploads of ${kib} KiB, compressed by three servers. All came back as they were sent.`,
);
console.log(
  `${gain({ threads, alone: main.milliseconds, together: pool.milliseconds })}. The event loop was held up for ` +
    `${ms(pool.heldUpMs)} at the longest, where the main thread compresses for ${ms(main.heldUpMs)}. ` +
    `By node:zlib's own threads: ${ms(zlib.milliseconds)}, held up for ${ms(zlib.heldUpMs)}.`,
);
