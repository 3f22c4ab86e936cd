// What the slides publish about clusters.

export const published = {
  source: 'S4, Oleksandr Tryshchenko: "Threads in Node" (slides): an API as a cluster',
  machine: 'machine not told',
  method:
    'An HTTP API that computes for each request is loaded by artillery, 10 users with 20 requests each: as one process, ' +
    'and as a cluster of four.',
  finding: 'For an API choose classical clustering, several processes behind one port, before threads.',
  tables: [
    {
      // The two reports "Summary report" of artillery, line by line; both of 2018-11-25.
      title: '10 users, 20 requests each; latency in ms',
      head: [
        ...['processes', 'scenarios launched', 'scenarios completed', 'requests completed', 'RPS sent'],
        ...['min', 'max', 'median', 'p95', 'p99', 'scenario counts: 0', '%', 'codes: 200'],
      ],
      rows: [
        [1, 10, 10, 200, 13.91, 101.9, 1272, 606.4, 1229.8, 1267.5, 10, 100, 200],
        [4, 10, 10, 200, 25.35, 70.7, 719.4, 270.9, 557.2, 711.5, 10, 100, 200],
      ],
    },
  ],
};
