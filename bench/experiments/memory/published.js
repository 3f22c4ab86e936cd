// What the chapter tells of memory.

export const published = {
  source: 'S1, a chapter on when threads pay: memory per thread',
  machine: 'Node 16',
  method:
    'A leader starts 0, 1, 2, 4, 8 or 16 workers that do nothing. Its virtual and its resident size are ' +
    'read.',
  finding: 'About 6 MB a thread, more with every module that a worker loads.',
  tables: [
    {
      title: 'Resident size',
      head: ['workers', 'resident, MB'],
      rows: [
        [0, 31.8],
        [1, 38.4],
        [2, 45.1],
        [4, 56.2],
        [8, 78.4],
        [16, 123.0],
      ],
    },
  ],
};
