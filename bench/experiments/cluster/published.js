// What the slides tell of clusters.

export const published = {
  source: 'S4, slides on threads in Node: an API as a cluster',
  machine: 'machine not told',
  method:
    'An HTTP API that computes for each request is loaded by 10 users with 20 requests each: as one process, ' +
    'and as a cluster of four.',
  finding:
    'For an API choose classical clustering, several processes behind one port; for computing, threads.',
  tables: [
    {
      title: '10 users, 20 requests each',
      head: ['processes', 'requests/s', 'median, ms', 'p95, ms'],
      rows: [
        [1, 13.9, 606, 1230],
        [4, 25.4, 271, 557],
      ],
    },
  ],
};
