// The command: `node main.js [--count 1000000] [--threads n] [--seed 1]`.
import { availableThreads } from 'threadwise';
import { readOptions } from '../options.js';
import { gain } from '../timing.js';
import { compare } from './compare.js';

const options = readOptions({ count: 1_000_000, threads: availableThreads(), seed: 1 });
const { alone, together, histogram } = await compare(options);
const most = histogram.findLastIndex((times) => times > 0);
const { count, threads } = options;
console.log(`${count} numbers reach 1 in ${most} steps at the most. Both ways agree in every count.`);
console.log(`${gain({ threads, alone, together })}, reduction included.`);
