// The command: `node main.js [--digest <SHA-1>] [--length 4] [--threads n]`; or `--password word`, whose digest it makes.
import { availableThreads } from 'threadwise';
import { readOptions } from '../options.js';
import { gain } from '../timing.js';
import { compare } from './compare.js';
import { ALPHABET, sha1 } from './search.js';

const values = readOptions(
  { threads: availableThreads() },
  { digest: undefined, password: 'pool', length: undefined },
);
const digest = (values.digest ?? sha1(values.password)).toLowerCase();
if (!/^[0-9a-f]{40}$/.test(digest)) throw new Error('--digest: 40 hexadecimal digits');
const { threads } = values;
const length = Number(values.length ?? values.password.length);
if (!(Number.isInteger(length) && length >= 1 && length <= 8)) throw new Error('--length: from 1 to 8');

const { word, searched, blocks, alone, together } = await compare({ digest, length, threads });
console.log(`${ALPHABET.length} letters, ${length} of them: the password behind ${digest} is`);
console.log(word === undefined ? 'none of these' : word);
console.log(
  `${gain({ threads, alone, together })}; they looked through ${searched} of ${blocks} blocks and then stopped.`,
);
