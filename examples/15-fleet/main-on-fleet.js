// Draws the Mandelbrot set into a file, row by row.
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { readOptions } from '../options.js';
import { pool } from './fleet.js';

const { out, width, height } = readOptions({ width: 900, height: 720 }, { out: 'mandelbrot.pgm' });

function* rows() {
  for (let y = 0; y < height; y++) yield { y, width, height };
}

const file = createWriteStream(out);
file.write(`P5 ${width} ${height} 255\n`);
for await (const bytes of pool.map('row', rows())) file.write(bytes);
await finished(file.end());
await pool.close();
console.log(`${height} rows drawn into ${out}`);
