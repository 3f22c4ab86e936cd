// The command: `node main.js [--in folder] [--out folder] [--threads n]`; without `--in`: `[--files 100] [--size 256] [--seed 1]`.
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { availableThreads } from 'threadwise';
import { readOptions } from '../options.js';
import { gain } from '../timing.js';
import { compare } from './compare.js';
import { drawImages } from './generate.js';

const values = readOptions(
  { files: 100, size: 256, threads: availableThreads(), seed: 1 },
  { in: undefined, out: undefined },
);
const { threads } = values;
const made = () => mkdtempSync(join(tmpdir(), 'convert-images-'));
const input = values.in ?? made();
const output = values.out ?? made();
mkdirSync(output, { recursive: true });
if (values.in === undefined) drawImages(input, values);
const names = readdirSync(input).filter((name) => name.endsWith('.ppm'));
if (names.length === 0) throw new Error(`${input} has no files *.ppm`);

try {
  const paths = names.map((name) => join(input, name));
  const { alone, together, problems } = await compare({ paths, output, threads });
  for (const { path, problem } of problems) console.error(`${path} is left out: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  const converted = `${names.length - problems.length} of ${names.length} images`;
  console.log(`${converted} are PNG files now, in ${output}. Both ways agree in every byte.`);
  console.log(`${gain({ threads, alone, together })}, reading and writing included.`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
