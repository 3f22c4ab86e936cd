// What the chapter publishes about rendering templates.

export const published = {
  source: 'S1, Thomas Hunter II, Bryan English: Multithreaded JavaScript, chapter 8: templates',
  machine: 'a laptop with 16 cores',
  cores: 16,
  method:
    'A Fastify server has two routes that render the same Mustache template, a short sentence with ' +
    'two variables, repeated 80 times: one in the main thread, one through a pool of 4 threads with the ' +
    'strategy least busy. autocannon loads each for 60 seconds, and the delay of the event loop is the time of a ' +
    'setImmediate, once a second.',
  finding:
    'Offloaded, 43 % more requests, and a delay of the event loop that is 4.7 times shorter, less that of an idle loop. What ' +
    'matters most is how large the template is: with the template not repeated the single thread wins, for the crossing ' +
    'costs more than the work.',
  tables: [
    {
      // The two paragraphs below the commands of autocannon, before figure 8-3.
      title: 'The template repeated 80 times',
      head: ['', 'requests/s', 'delay of the event loop, us'],
      rows: [
        ['main thread', 13_285, 769],
        ['offloaded', 18_981, 232],
      ],
    },
    {
      title: 'Nothing to do',
      head: ['', 'delay of the event loop, us'],
      rows: [['idle', 87]],
    },
    {
      // From the same paragraphs: the delay is compared without that of an idle loop.
      title: 'Offloaded, to the main thread',
      head: ['', 'better'],
      rows: [
        ['requests/s, more by %', 43],
        ['delay of the event loop beyond that of an idle one, times', 4.7],
      ],
    },
  ],
};
