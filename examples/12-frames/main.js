// The command: `node main.js [--frames 100] [--width 480] [--height 270] [--threads n] [--seed 1]`.
import { availableThreads } from 'threadwise';
import { readOptions } from '../options.js';
import { gain } from '../timing.js';
import { compare } from './compare.js';

const options = readOptions({ frames: 100, width: 480, height: 270, threads: availableThreads(), seed: 1 });
const { alone, together, digest, underway } = await compare(options);
const { frames, width, height, threads } = options;
console.log(
  `${frames} frames of ${width} x ${height}, SHA-256 ${digest}. Both ways agree in every byte and in the order.`,
);
console.log(
  `${gain({ threads, alone, together, what: 'all' })}, with a decoder on one thread more. ` +
    `Never more than ${underway} frames were underway.`,
);
