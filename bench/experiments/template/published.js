// What the chapter tells of template rendering.

export const published = {
  source: 'S1, a chapter on when threads pay: offloading template rendering',
  machine: '16 cores',
  cores: 16,
  method:
    'A Fastify server has two routes that render the same Mustache template, a sentence of 30 bytes with ' +
    'two variables, repeated 80 times: one in the main thread, one through a pool of 4 threads with the ' +
    'strategy least busy. Under load, requests a second and the delay of the event loop (the time of a ' +
    'setImmediate) are measured.',
  finding:
    'Offloaded, 43 % more requests, and a shorter delay of the event loop. With the template not repeated ' +
    'the single thread wins: the crossing costs more than the work.',
  tables: [
    {
      title: 'The template repeated 80 times',
      head: ['', 'requests/s', 'delay of the event loop, us'],
      rows: [
        ['idle', '', 87],
        ['main thread', 13_285, 769],
        ['offloaded', 18_981, 232],
      ],
    },
  ],
};
