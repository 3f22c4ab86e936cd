// The command: `node main.js [--width 1024] [--height 1024] [--generations 100] [--threads n] [--seed 1]`.
import { parseArgs } from 'node:util';
import { availableThreads } from 'threadwise';
import { compare } from './compare.js';

const defaults = { width: 1024, height: 1024, generations: 100, threads: availableThreads(), seed: 1 };
const { values } = parseArgs({
  options: Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: String(value) }]),
  ),
});
const options = Object.fromEntries(
  Object.entries(values).map(([name, text]) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name}: a whole number from 1`);
    return [name, value];
  }),
);
const { alone, together, living } = await compare(options);
const { width, height, generations, threads } = options;
console.log(`${width} x ${height} cells, ${generations} generations: ${living} live. Both ways agree.`);
console.log(
  `On ${threads} threads it took ${together.toFixed(0)} ms, in one ${alone.toFixed(0)} ms: ` +
    `${(alone / together).toFixed(2)} times as fast, with ${generations} meetings of all threads in it.`,
);
