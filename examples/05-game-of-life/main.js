// The command: `node main.js [--width 1024] [--height 1024] [--generations 100] [--threads n] [--seed 1]`.
import { availableThreads } from 'threadwise';
import { readOptions } from '../options.js';
import { gain } from '../timing.js';
import { compare } from './compare.js';

const options = readOptions({
  width: 1024,
  height: 1024,
  generations: 100,
  threads: availableThreads(),
  seed: 1,
});
const { alone, together, living } = await compare(options);
const { width, height, generations, threads } = options;
console.log(`${width} x ${height} cells, ${generations} generations: ${living} live. Both ways agree.`);
console.log(`${gain({ threads, alone, together })}, with ${generations} meetings of all threads in it.`);
