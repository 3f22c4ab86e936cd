// The figures that the article publishes of its second experiment: all that its program printed.

/** The columns of the output for single workers. */
const WORKERS = Array.from({ length: 16 }, (_, i) => `w${i + 1}`);

export const published = {
  source: 'S0, "worker_threads: shared memory and a coordinator" (a Russian article series, Habr)',
  machine: '4 cores',
  cores: 4,
  method:
    'As hash-direct, but the main thread moves each buffer (transfer list, no copy) to a coordinator ' +
    'thread. The coordinator has the queue and the list of free workers, and copies the bytes into the segments of the workers; ' +
    'of several free workers it takes the one that became free last. Workers wait asynchronously, so that ' +
    'their event loops stay alive and their utilisation can be measured. Channels between coordinator and ' +
    'workers are set up with a hand-shake. Each number of workers has a new coordinator, and all have the same ' +
    'workers.',
  finding:
    'Almost four times less time than without a coordinator; and the coordinator has time to spare, for example to change the ' +
    'number of workers.',
  tables: [
    {
      // The output below the second full listing of the program: reads, total, the mean of the workers in use, then
      // "c", the coordinator, then each worker, also those that are not in use.
      title: 'A coordinator hands out (messages made before in 2,043 ms); utilisation of event loops in %',
      head: [
        ...['workers', 'clean time, ms', 'reads, ms', 'total, ms'],
        ...['workers in use, %', 'coordinator, %', ...WORKERS],
      ],
      rows: [
        [1, 373, 2387, 2761, 42, 10, 42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [2, 118, 602, 720, 89, 39, 98, 79, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [3, 119, 570, 690, 80, 33, 100, 99, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [4, 75, 603, 679, 77, 23, 100, 100, 96, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [5, 204, 931, 1135, 81, 27, 100, 100, 100, 98, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [6, 146, 994, 1141, 82, 12, 100, 100, 100, 100, 88, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [7, 260, 952, 1212, 81, 22, 100, 100, 100, 100, 100, 67, 5, 0, 1, 0, 0, 0, 1, 1, 0, 1],
        [8, 142, 1433, 1576, 89, 16, 100, 100, 100, 100, 100, 100, 100, 13, 0, 0, 0, 0, 0, 0, 0, 0],
        [9, 253, 1554, 1807, 86, 9, 100, 100, 100, 100, 100, 100, 100, 74, 0, 0, 0, 0, 0, 0, 0, 0],
        [10, 196, 1587, 1784, 80, 7, 100, 100, 100, 100, 100, 100, 100, 100, 6, 2, 0, 0, 0, 0, 0, 0],
        [11, 311, 1948, 2259, 87, 21, 100, 100, 100, 100, 100, 100, 100, 100, 81, 81, 4, 0, 0, 0, 0, 0],
        [12, 237, 1973, 2210, 83, 7, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 0, 0, 0, 0, 0, 0],
        [13, 362, 2014, 2377, 78, 14, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 5, 5, 8, 0, 0, 0],
        [14, 73, 2280, 2354, 77, 6, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 7, 38, 37, 5, 0, 0],
        [
          15, 413, 2513, 2927, 83, 12, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 52, 100, 100, 3, 1,
          0,
        ],
        [
          16, 241, 2619, 2861, 86, 21, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 52,
          11, 12,
        ],
      ],
    },
    {
      // The sentence below the heading that follows that output: "almost", and four in words.
      title: 'What the coordinator brings',
      head: ['', 'times less'],
      rows: [['time of processing', 4]],
    },
  ],
};
