// The published figures of ways to read files: operations per second (all reads of a way are one), and their share of the best.

/** The names of the ways here, in the order of the tables. */
export const NAMES = [
  'loop of readFileSync',
  'promise chain of readFileSync',
  'promise chain of readFile',
  'Promise.all of readFileSync',
  'Promise.all of readFile',
  'loops of readFileSync in processes',
];
const SYMBOLS = [...'ABCDEF'];

/** Operations per second, and per cent of the best, for each way. */
const CELLS = {
  // The first table: 3.3 kB, 10,000 times.
  'small-many': [
    [7.4, 100],
    [4.47, 60],
    [1.09, 15],
    [4.58, 62],
    [1.69, 23],
    [1.35, 18],
  ],
  // The second table: 3.3 kB, 100 times.
  'small-few': [
    [747, 100],
    [641, 86],
    [120, 16],
    [664, 89],
    [238, 32],
    [1.55, 0.2],
  ],
  // The third table: 6.5 MB, 100 times.
  large: [
    [0.63, 83],
    [0.66, 87],
    [0.61, 80],
    [0.66, 87],
    [0.76, 100],
    [0.56, 74],
  ],
};

const table = (title, id) => ({
  title,
  head: ['', 'way', 'ops/s', 'of the best, %'],
  rows: NAMES.map((name, i) => [SYMBOLS[i], name, ...CELLS[id][i]]),
});

export const published = {
  source:
    'S3, "Every non-blocking operation in Node.js has an additional price, and does not always pay" (Habr, in Russian)',
  machine: 'machine not told',
  method:
    'A file of 3.3 kB is read 10,000 times and 100 times, and a file of 6.5 MB 100 times, in six ways. ' +
    'Operations a second are told, and as a share of the best way; the load of each core is plotted over time, for the ' +
    'first and the third.',
  finding:
    'Small files synchronously, large ones asynchronously; for long work on many files, run several whole ' +
    'event loops. readFileSync keeps one core busy; readFile uses several, none of them fully.',
  tables: [
    table('A file of 3.3 kB, 10,000 times', 'small-many'),
    table('A file of 3.3 kB, 100 times', 'small-few'),
    table('A file of 6.5 MB, 100 times', 'large'),
  ],
};
