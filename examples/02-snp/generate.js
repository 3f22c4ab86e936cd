// Makes the input: a raw genotype export as testing companies hand it out, of any size, the same for the same seed.
import { once } from 'node:events';
import { createWriteStream, realpathSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

/** Chromosomes with their length in millions of base pairs: a longer one has more lines. */
const AUTOSOMES = [
  ...[249, 242, 198, 190, 182, 171, 159, 145, 138, 134, 135],
  ...[133, 114, 107, 102, 90, 83, 80, 59, 64, 47, 51],
];
const CHROMOSOMES = [
  ...AUTOSOMES.map((length, i) => [String(i + 1), length]),
  ['X', 156],
  ['Y', 57],
  ['MT', 1],
];
const TOTAL_LENGTH = CHROMOSOMES.reduce((sum, [, length]) => sum + length, 0);
const BASES = 'ACGT';
const NO_CALL = '--';
/** The share of positions that could not be read. */
const NO_CALL_SHARE = 0.02;
/** How many characters are handed to the stream at a time. */
const BLOCK = 2 ** 16;

const HEADER = [
  "# Random letters and nobody's genome: made by an example of threadwise.",
  '# rsid\tchromosome\tposition\tgenotype',
];

/** Yields the file's lines, without their ends. `lines` counts the records, not the header. */
export function* genotypeLines({ lines, seed = 1 }) {
  yield* HEADER;
  const random = randomNumbers(seed);
  let written = 0;
  let lengthSoFar = 0;
  for (const [chromosome, length] of CHROMOSOMES) {
    lengthSoFar += length;
    const end = Math.round((lines * lengthSoFar) / TOTAL_LENGTH);
    const step = (length * 1e6) / Math.max(1, end - written);
    for (let position = 0; written < end; written++) {
      position += 1 + Math.floor(random() * step);
      yield `rs${written + 1}\t${chromosome}\t${position}\t${genotype(chromosome, random)}`;
    }
  }
}

/** Two letters, one from each parent; a single letter where only one parent has the chromosome. */
function genotype(chromosome, random) {
  if (random() < NO_CALL_SHARE) return NO_CALL;
  const first = BASES[Math.floor(random() * 4)];
  if (chromosome === 'Y' || chromosome === 'MT') return first;
  return first + (random() < 0.6 ? first : BASES[Math.floor(random() * 4)]);
}

/** A source of numbers from 0 to 1: mulberry32. */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Writes the file no faster than the disk takes it, so that memory does not grow with its size. */
export async function writeGenotypes(path, { lines, seed, eol = '\n' }) {
  const file = createWriteStream(path, { encoding: 'latin1' });
  let block = '';
  for (const line of genotypeLines({ lines, seed })) {
    block += line + eol;
    if (block.length < BLOCK) continue;
    if (!file.write(block)) await once(file, 'drain');
    block = '';
  }
  file.end(block);
  await finished(file);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [path, lines = '600000', seed = '1'] = process.argv.slice(2);
  if (path === undefined) {
    process.stderr.write('node generate.js <file> [lines=600000] [seed=1]\n');
    process.exitCode = 2;
  } else {
    await writeGenotypes(path, { lines: Number(lines), seed: Number(seed) });
  }
}
