// The command: `node main.js [--points 200000] [--dimensions 4] [--k 16] [--rounds 30] [--threads n] [--seed 1]`.
import { availableThreads } from 'threadwise';
import { readOptions } from '../options.js';
import { gain } from '../timing.js';
import { compare } from './compare.js';

const options = readOptions({
  points: 200_000,
  dimensions: 4,
  k: 16,
  rounds: 30,
  threads: availableThreads(),
  seed: 1,
});
const { alone, together, rounds } = await compare(options);
const { points, dimensions, k, threads } = options;
console.log(`${points} points with ${dimensions} numbers each, ${k} clusters after ${rounds} rounds.`);
console.log('Both ways agree in every bit.');
console.log(`${gain({ threads, alone, together })}, the moves of the centers by the main thread included.`);
