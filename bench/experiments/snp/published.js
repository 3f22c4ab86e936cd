// What the slides tell of the genotype file.

export const published = {
  source: 'S4, slides on threads in Node: a raw genotype export',
  machine: '4 cores, as far as the figures tell',
  cores: 4,
  method:
    'A raw genotype export, several hundred thousand lines of rsid, chromosome, position and genotype, is ' +
    'searched and aggregated by 1 to 7 threads.',
  finding: 'It is fastest with as many threads as cores, and slower with more.',
  tables: [
    {
      title: 'Total time (with 1 thread, 9,651 to 9,784 ms)',
      head: ['threads', 'total, ms'],
      rows: [
        [1, 9651],
        [2, 6163],
        [3, 4913],
        [4, 4722],
        [5, 4888],
        [6, 5133],
        [7, 5403],
      ],
    },
  ],
};
