// What the slides publish about the genotype file.

export const published = {
  source: 'S4, Oleksandr Tryshchenko: "Threads in Node" (slides): a raw genotype export',
  machine: '4 cores, as far as the figures tell',
  cores: 4,
  method:
    'A raw genotype export, lines of rsid, chromosome, position and genotype, is ' +
    'searched and aggregated by 1 to 7 threads, of a Node that has threads as an experiment (2018).',
  finding: 'It is fastest with as many threads as cores, and slower with more.',
  tables: [
    {
      // The outputs "Finished at", one on each slide. The slide of one thread is there twice, and its first figure is here.
      title: 'Total time',
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
    {
      // The second figure of one thread.
      title: 'Total time with one thread, once more',
      head: ['threads', 'total, ms'],
      rows: [[1, 9784]],
    },
  ],
};
