// What the chapter tells of cores and threads.

export const published = {
  source: 'S1, a chapter on when threads pay: cores and threads',
  machine: 'up to 4 cores',
  cores: 4,
  method:
    'An HTTP server with a pool of 1, 2, 3 or 4 threads is bound to 1, 2, 3 or 4 cores with taskset, and ' +
    'loaded. A request takes more than 100 ms of computing.',
  finding:
    'The jump comes with 2 threads on 3 cores; on one core, three threads lose 48 % against all cores.',
  tables: [
    {
      title: 'Requests a second, as far as they were published',
      head: ['cores', 'threads', 'requests/s'],
      rows: [
        [1, 1, 8.46],
        [3, 2, 17.61],
        [4, 4, 17.75],
      ],
    },
  ],
};
