// The command: `node main.js --help` lists its arguments.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { compare } from './compare.js';

const HELP = `node main.js [--files 4096] [--size 65536] [--threads ${availableParallelism()}] [--dir folder] [--seed 1]
Makes that many files of that many random bytes, hashes them in three ways, and removes them again.
`;

function readArguments() {
  const text = (value) => ({ type: 'string', default: String(value) });
  const { values } = parseArgs({
    options: {
      files: text(4096),
      size: text(65_536),
      threads: text(availableParallelism()),
      seed: text(1),
      dir: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const number = (name, min) => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < min) throw new Error(`--${name}: a number from ${min}`);
    return value;
  };
  return {
    ...values,
    files: number('files', 1),
    size: number('size', 0),
    threads: number('threads', 1),
    seed: number('seed', 0),
  };
}

async function main() {
  const options = readArguments();
  if (options.help) return void process.stdout.write(HELP);
  console.log(`${options.files} files of ${options.size} bytes, ${options.threads} threads`);
  const ways = await compare(options);
  const [first] = ways;
  const label = { inline: 'inline', mainReads: 'main reads, workers hash', workersRead: 'workers read' };
  console.table(
    Object.fromEntries(
      ways.map(({ name, milliseconds }) => [
        label[name],
        {
          'time (ms)': Math.round(milliseconds),
          'files/s': Math.round(options.files / (milliseconds / 1000)),
          'speed-up': Number((first.milliseconds / milliseconds).toFixed(2)),
        },
      ]),
    ),
  );
  console.log(`All ${options.files} digests agree.`);
}

await main();
