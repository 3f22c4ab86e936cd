// What the chapter publishes about cores and threads.

export const published = {
  source: 'S1, Thomas Hunter II, Bryan English: Multithreaded JavaScript, chapter 8: low core counts',
  machine: 'a computer with 16 cores, of which a process may use 1 to 4',
  cores: 16,
  method:
    'An HTTP server with a pool of 1, 2, 3 or 4 threads, the least busy first, is bound to 1, 2, 3 or 4 cores with ' +
    'taskset, and loaded by autocannon, 10 connections, for two minutes each. A request takes more than ' +
    '100 ms of computing. In another, shorter run: two threads, with main three JavaScript threads, on all 16 cores and ' +
    'on one.',
  finding:
    'With two threads on three cores or more, the server gets about twice as much done; further threads and cores add nothing. ' +
    'On one core, a program with three JavaScript threads gets 48 % less done than on all cores.',
  tables: [
    {
      // Table 8-2.
      title: 'Requests a second by threads of the pool and cores',
      head: ['threads', '1 core', '2 cores', '3 cores', '4 cores'],
      rows: [
        [1, 8.46, 9.08, 9.21, 9.19],
        [2, 8.69, 9.6, 17.61, 17.28],
        [3, 8.23, 9.38, 16.92, 16.91],
        [4, 8.47, 9.57, 17.44, 17.75],
      ],
    },
    {
      // From the text before table 8-2. Its 48 % is the share that one core gets done: by these figures it loses 52 %.
      title: 'Two threads in the pool, in another run',
      head: ['cores', 'requests/s', 'less, %'],
      rows: [
        [16, 17.5, 0],
        [1, 8.32, 48],
      ],
    },
  ],
};
