// The command: `node main.js [--count 1000000] [--threads n] [--seed 1]`.
import { parseArgs } from 'node:util';
import { availableThreads } from 'threadwise';
import { compare } from './compare.js';

const defaults = { count: 1_000_000, threads: availableThreads(), seed: 1 };
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
const { alone, together, histogram } = await compare(options);
const most = histogram.findLastIndex((times) => times > 0);
const { count, threads } = options;
console.log(`${count} numbers reach 1 in ${most} steps at the most. Both ways agree in every count.`);
console.log(
  `On ${threads} threads it took ${together.toFixed(0)} ms, in one ${alone.toFixed(0)} ms: ` +
    `${(alone / together).toFixed(2)} times as fast, reduction included.`,
);
