// What was published on ways to read files: operations a second, as a share of the best of them.

/** The ways, by their names in the table. */
export const NAMES = [
  'loop of readFileSync',
  'promise chain of readFileSync',
  'promise chain of readFile',
  'Promise.all of readFileSync',
  'Promise.all of readFile',
  'loops of readFileSync in processes',
];

/** Per cent, in the order of the names. */
export const SHARES = {
  'small-many': [100, 60, 15, 62, 23, 18],
  'small-few': [100, 86, 16, 89, 32, 0.2],
  large: [83, 87, 80, 87, 100, 74],
};

export const published = {
  source: 'S3, blocking or non-blocking file reads',
  machine: 'machine not told',
  method:
    'A file of 3.3 kB is read 10,000 times and 100 times, and a file of 6.5 MB 100 times, in six ways. ' +
    'Operations a second are told as a share of the best way; the load of each core is plotted over time.',
  finding:
    'Small files synchronously, large ones asynchronously; for long work on many files, run several whole ' +
    'event loops.',
  tables: [
    {
      title: 'Operations a second, as a share of the best, %',
      head: ['', '3.3 kB x 10,000', '3.3 kB x 100', '6.5 MB x 100'],
      rows: NAMES.map((name, i) => [name, SHARES['small-many'][i], SHARES['small-few'][i], SHARES.large[i]]),
    },
  ],
};
