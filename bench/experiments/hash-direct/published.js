// What the article tells of its experiment.

export const published = {
  source: 'S0, an article of a series on worker threads: transport over shared memory',
  machine: '4 cores',
  cores: 4,
  method:
    'Each worker owns a segment of shared memory of 64 KiB, the size of one message, and a lock word. The ' +
    'main thread lists a folder of 4,096 files of 64 KiB of random bytes, reads each of them ' +
    'synchronously, copies it into the segment of a free worker, stores the number of the task in the ' +
    'lock, and waits asynchronously for the lock to change back. The worker waits on its lock, hashes the ' +
    'segment with SHA-256, posts the digest, and releases the lock. What finds no free worker waits in a ' +
    'queue. Clean time is the total less the time in synchronous reads.',
  finding: 'A worker that becomes free gets nothing until the main thread leaves its synchronous call.',
  tables: [
    {
      title: 'Clean time',
      head: ['workers', 'clean time, ms'],
      rows: [
        [1, 1237],
        [2, 616],
        [4, 344],
        [8, 315],
        [16, 310],
      ],
    },
  ],
};
