// The published times of one thread and of many.

/** How often each number is computed in a run. */
export const ROUNDS = 100;

export const published = {
  source: 'S2, Gregor Wedlich: "Javascript Worker Threads", single thread or many, 2023-10-28',
  machine: 'Ryzen 5800X3D, 16 threads, Node 20.9',
  cores: 16,
  method:
    'fibonacci(n), iterative, with an array of all numbers up to it, is computed in 100 rounds, with a counter on the ' +
    'terminal; what grows is n: 100, 100,000, 1,000,000, 10,000,000. In the main thread; and by workers, 16 at a time ' +
    '(or 1), where each round starts a worker of its own: when an answer comes, the next worker is started.',
  finding:
    'Up to n = 1,000,000 the main thread is clearly faster; only with very large numbers workers gain, and only if there ' +
    'are enough of them: with a single one at a time it takes even longer.',
  tables: [
    {
      // The outputs "Total duration", below "Ohne Worker Threads" and "Mit Worker Threads". There are 100 rounds in each of
      // them, as the counter "100/100" says; the heading of each output is its n. At 1,000,000 the figures are the other way
      // round than the text below them: 1,222 is less than 1,378.
      title: 'Total time, ms: 100 rounds',
      head: ['n', 'main thread', '16 workers at a time'],
      rows: [
        [100, 5, 605],
        [100_000, 127, 730],
        [1_000_000, 1378, 1222],
        [10_000_000, 10_790, 5237],
      ],
    },
    {
      // The last output.
      title: 'Total time, ms: 100 rounds, with only one worker at a time',
      head: ['n', '1 worker at a time'],
      rows: [[10_000_000, 14_259]],
    },
  ],
};
