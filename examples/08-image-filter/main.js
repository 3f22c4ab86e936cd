// The command: `node main.js [--in photo.png] [--out blurred.png] [--radius 6] [--threads n]`.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { availableThreads } from 'threadwise';
import { readOptions } from '../options.js';
import { gain } from '../timing.js';
import { compare } from './compare.js';
import { drawRings } from './draw.js';

const values = readOptions(
  { size: 1024, radius: 6, threads: availableThreads() },
  { in: undefined, out: undefined },
);
const { size, radius, threads } = values;
const folder = values.in && values.out ? undefined : mkdtempSync(join(tmpdir(), 'image-filter-'));
const input = values.in ?? join(folder, 'rings.png');
const output = values.out ?? join(folder, 'blurred.png');
if (values.in === undefined) drawRings(input, { width: size, height: size });

const { width, height, tiles, alone, together } = await compare({ input, output, radius, threads });
console.log(`${input}: ${width} x ${height} pixels, ${tiles} tiles. Both ways agree. Written: ${output}`);
console.log(`${gain({ threads, alone, together, what: 'the blur' })}.`);
