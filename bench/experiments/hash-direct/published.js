// The figures that the article publishes of its first experiment: all that its program printed. Clean time is total less reads.

export const published = {
  source: 'S0, "worker_threads: shared memory and a coordinator" (a Russian article series, Habr)',
  machine: '4 cores',
  cores: 4,
  method:
    'Each worker owns a segment of shared memory of 64 KiB, the size of one message, and a lock word. The ' +
    'main thread lists a folder of 4,096 files of 64 KiB of random bytes, reads each of them ' +
    'synchronously, copies it into the segment of a free worker, stores the number of the task in the ' +
    'lock, and waits asynchronously for the lock to change back. The worker waits on its lock, hashes the ' +
    'segment with SHA-256, posts the digest, and releases the lock. A file that finds no free worker waits in a ' +
    'queue; of several free workers, the one that became free last is taken. Clean time is the total less ' +
    'the time in synchronous reads. One program runs it with 1 to 16 workers, one after the other.',
  finding:
    'With synchronous reads in the main thread, clean time is 15 % worse at 4 threads on 4 cores than with messages out of ' +
    'memory: a worker that becomes free gets nothing until the main thread leaves its synchronous call.',
  tables: [
    {
      // The output below the first full listing of the program, from its line "hashed  1" on.
      title: 'Main thread reads and hands out (messages made before in 1,959 ms)',
      head: ['workers', 'clean time, ms', 'reads, ms', 'total, ms'],
      rows: [
        [1, 1237, 4152, 5390],
        [2, 616, 555, 1171],
        [3, 411, 667, 1079],
        [4, 344, 801, 1145],
        [5, 326, 560, 887],
        [6, 307, 619, 926],
        [7, 336, 574, 911],
        [8, 315, 572, 887],
        [9, 315, 908, 1224],
        [10, 305, 904, 1209],
        [11, 343, 580, 924],
        [12, 300, 598, 899],
        [13, 326, 597, 924],
        [14, 308, 584, 893],
        [15, 315, 580, 895],
        [16, 310, 579, 890],
      ],
    },
    {
      // The paragraph below that output. The part before it had the same messages in memory.
      title: 'What synchronous reads cost, with 4 workers on 4 cores',
      head: ['', 'clean time worse by, %'],
      rows: [['reads in the main thread, to messages from memory', 15]],
    },
  ],
};
