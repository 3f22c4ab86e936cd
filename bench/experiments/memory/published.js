// What the chapter publishes about memory.

export const published = {
  source: 'S1, Thomas Hunter II, Bryan English: Multithreaded JavaScript, chapter 8: memory per thread',
  machine: 'Node 16.5, x86',
  method:
    'A leader that only starts a timer starts 0, 1, 2, 4, 8 or 16 workers that only write a line and start a timer. ps ' +
    'tells its virtual, its resident and its whole size.',
  finding:
    'About 6 MB of resident memory a thread; more with every module that a worker loads, with a heavy framework in each ' +
    'perhaps hundreds of megabytes; and no process of 32 bits has more than 4 GB for all its threads.',
  tables: [
    {
      // Table 8-1.
      title: 'Memory by added threads',
      head: ['added threads', 'VSZ, KB', 'RSS, KB', 'SIZE, KB'],
      rows: [
        [0, 318_124, 31_836, 47_876],
        [1, 787_880, 38_372, 57_772],
        [2, 990_884, 45_124, 68_228],
        [4, 1_401_500, 56_160, 87_708],
        [8, 2_222_732, 78_396, 126_672],
        [16, 3_866_220, 122_992, 205_420],
      ],
    },
    {
      // The paragraph below figure 8-1.
      title: 'Of each new thread, about',
      head: ['', 'RSS, MB'],
      rows: [['a thread', 6]],
    },
    {
      // The output of ps in the text before table 8-1: an example, with another PID than that of the command.
      title: 'What ps says, as an example',
      head: ['PID', 'VSZ, KB', 'RSS, KB', '%MEM'],
      rows: [[66_766, 1_409_260, 48_212, 0.1]],
    },
    {
      // The warning below that.
      title: 'What a process of 32 bits can address, for all its threads',
      head: ['', 'GB'],
      rows: [['a process', 4]],
    },
  ],
};
