// The command: `node main.js [--in photo.png] [--out blurred.png] [--radius 6] [--threads n]`.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { availableThreads } from 'threadwise';
import { compare } from './compare.js';
import { drawRings } from './draw.js';

const { values } = parseArgs({
  options: {
    in: { type: 'string' },
    out: { type: 'string' },
    size: { type: 'string', default: '1024' },
    radius: { type: 'string', default: '6' },
    threads: { type: 'string', default: String(availableThreads()) },
  },
});
const [size, radius, threads] = ['size', 'radius', 'threads'].map((name) => {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name}: a whole number from 1`);
  return value;
});
const folder = values.in && values.out ? undefined : mkdtempSync(join(tmpdir(), 'image-filter-'));
const input = values.in ?? join(folder, 'rings.png');
const output = values.out ?? join(folder, 'blurred.png');
if (values.in === undefined) drawRings(input, { width: size, height: size });

const { width, height, tiles, alone, together } = await compare({ input, output, radius, threads });
console.log(`${input}: ${width} x ${height} pixels, ${tiles} tiles. Both ways agree. Written: ${output}`);
console.log(
  `On ${threads} threads the blur took ${together.toFixed(0)} ms, in one ${alone.toFixed(0)} ms: ` +
    `${(alone / together).toFixed(2)} times as fast.`,
);
