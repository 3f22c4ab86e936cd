// The command: `node main.js --help` lists its arguments.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './compare.js';
import { writeGenotypes } from './generate.js';

const HELP = `node main.js [--lines 600000] [--threads 1,2,4] [--file path] [--rsid rs12345] [--seed 1]
Counts the records of a genotype file by chromosome and genotype, and finds one of them, with each number of threads.
Without --file it makes one of that many lines, and removes it again.
`;

function readArguments() {
  const cores = availableParallelism();
  const { values } = parseArgs({
    options: {
      lines: { type: 'string', default: '600000' },
      threads: { type: 'string', default: [...new Set([1, cores, 2 * cores])].join(',') },
      seed: { type: 'string', default: '1' },
      file: { type: 'string' },
      rsid: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const number = (name, text, min) => {
    if (/^\d+$/.test(text) && Number(text) >= min) return Number(text);
    throw new Error(`--${name}: a number from ${min}, not '${text}'`);
  };
  const lines = number('lines', values.lines, 0);
  return {
    ...values,
    lines,
    seed: number('seed', values.seed, 0),
    threads: values.threads.split(',').map((text) => number('threads', text, 1)),
    rsid: values.rsid ?? `rs${Math.ceil(lines / 2)}`,
  };
}

/** The kinds of genotype: two equal letters, two different ones, one letter (Y, MT), and none. */
function kindOf(genotype) {
  if (genotype === '--') return 'no call';
  if (genotype.length === 1) return 'single';
  return genotype[0] === genotype[1] ? 'equal' : 'different';
}

function print({ total, found, rows }, rsid) {
  const table = {};
  for (const [chromosome, genotype, count] of total.counts) {
    const name = `chromosome ${chromosome}`;
    table[name] ??= { equal: 0, different: 0, single: 0, 'no call': 0 };
    table[name][kindOf(genotype)] += count;
  }
  console.table(table);
  console.log(
    `${total.records} records; ${rsid}: ${found.length === 0 ? 'not found' : JSON.stringify(found[0])}`,
  );
  const inline = rows[0].milliseconds;
  const timesOf = ({ threads, milliseconds }) => [
    threads === 'inline' ? 'inline' : `threads: ${threads}`,
    { 'time (ms)': Math.round(milliseconds), 'speed-up': Number((inline / milliseconds).toFixed(2)) },
  ];
  console.table(Object.fromEntries(rows.map(timesOf)));
  console.log('All of them agree.');
}

async function main() {
  const options = readArguments();
  if (options.help) return void process.stdout.write(HELP);
  const folder = mkdtempSync(join(tmpdir(), 'snp-'));
  try {
    const path = options.file ?? join(folder, 'genotypes.txt');
    if (options.file === undefined) await writeGenotypes(path, options);
    print(await compare({ path, threads: options.threads, query: { rsid: options.rsid } }), options.rsid);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
