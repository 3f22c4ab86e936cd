// What was published on single and many threads.

export const published = {
  source: 'S2, single thread or many: Fibonacci',
  machine: 'machine not told',
  method:
    'fibonacci(100), iterative, with an array of all numbers up to it, is called 100, 100,000, 1,000,000 ' +
    'or 10,000,000 times, with a counter on the terminal: in the main thread; and by 16 workers, or one, ' +
    'where each of the first calls starts a new worker, which gets its next call when it has answered.',
  finding: 'Below about a million calls the main thread wins; with one worker it always wins.',
  tables: [
    {
      title: 'Total time, ms',
      head: ['calls', 'main thread', '16 workers', '1 worker'],
      rows: [
        [100, 5, 605, ''],
        [100_000, 127, 730, ''],
        [1_000_000, 1378, 1222, ''],
        [10_000_000, 10_790, 5237, 14_259],
      ],
    },
  ],
};
