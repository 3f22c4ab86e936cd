/** What can be done to a pool: the question, what exactly will happen, and the request that does it. */
import { count, counted } from './format.js';

const CHOICES = ['least-busy', 'round-robin', 'random', 'least-elu'];
const PLACEMENTS = [
  {
    value: 'threads',
    label: 'threads: every task on a worker thread',
    effect: 'Every new task will run on a worker thread.',
  },
  {
    value: 'auto',
    label: 'auto: the pool decides for each function, by measurement',
    effect:
      'For each function the pool decides by its measured run time: on a worker thread, or on the main thread if sending the task to a thread takes longer than the task itself.',
  },
  {
    value: 'inline',
    label: 'inline: every task on the main thread',
    effect:
      'Every new task will run on the main thread. While one computes, nothing else of this process runs: no request is answered, and this dashboard stands still.',
  },
];

/** A number to be filled in: its name for those who do not see where it stands, and the word after it. */
const number = (value, name, after) => ({ value, name, after });
const patch = (body) => ({ method: 'PATCH', rest: '', body });
const post = (what) => ({ method: 'POST', rest: `/${what}` });
const openNow = ({ tasks, queue }) =>
  `Now ${counted(tasks.open, 'call')} ${tasks.open === 1 ? 'is' : 'are'} open, ${count(queue.size)} of them waiting.`;

/**
 * `fields(stats)`: questions, see `form-fields.js`. `effect(stats, values)`: what will happen, as sentences.
 * `request(values)`: what is sent. `apply`: the word on the button. `done`: what is said afterwards. `stops`: calls wait or are
 * refused by it, and its buttons look so.
 */
export const ACTIONS = [
  {
    id: 'threads',
    button: 'Threads…',
    title: 'Change the number of workers',
    fields: threadFields,
    effect: threadEffect,
    request: ({ how, exactly, min, max }) => {
      if (how === 'auto') return patch({ threads: 'auto' });
      return patch(how === 'number' ? { threads: exactly } : { min, max });
    },
    apply: 'Change the workers',
    done: 'The bounds of the workers are changed.',
  },
  {
    id: 'choose',
    button: 'Strategy…',
    title: 'Change how a worker is chosen',
    fields: ({ choose }) => [
      {
        name: 'choose',
        legend: 'Strategy',
        value: choose,
        options: CHOICES.map((value) => ({ value, label: value })),
      },
    ],
    effect: ({ choose, dispatch }, values) => [
      dispatch === 'shared-queue'
        ? 'With dispatch shared-queue no strategy chooses: workers take tasks by themselves. Expect a refusal.'
        : values.choose === choose
          ? `The strategy is ${choose} already: nothing changes.`
          : `From now on a worker is chosen by ${values.choose} instead of ${choose}. Tasks already handed over stay where they are.`,
    ],
    request: ({ choose }) => patch({ choose }),
    apply: 'Change the strategy',
    done: 'The strategy is changed.',
  },
  {
    id: 'placement',
    button: 'Placement…',
    title: 'Change where tasks run',
    fields: ({ placement }) => [
      { name: 'placement', legend: 'Tasks run', value: placement, options: PLACEMENTS },
    ],
    effect: ({ placement: before }, { placement }) => [
      placement === before
        ? `The placement is ${before} already: nothing changes.`
        : PLACEMENTS.find(({ value }) => value === placement).effect,
    ],
    request: ({ placement }) => patch({ placement }),
    apply: 'Change the placement',
    done: 'The placement is changed.',
  },
  {
    id: 'queue',
    button: 'Queue limit…',
    title: 'Change how many tasks may wait',
    fields: ({ queue }) => [
      {
        name: 'how',
        legend: 'Tasks that may wait',
        value: queue.limit === null ? 'none' : 'limit',
        options: [
          { value: 'none', label: 'any number' },
          {
            value: 'limit',
            label: 'at most',
            numbers: { limit: number(queue.limit ?? 1000, 'At most, tasks', 'tasks') },
          },
        ],
      },
    ],
    effect: ({ queue }, { how, limit }) => [
      how === 'none'
        ? 'Any number of tasks may wait; only memory limits them.'
        : `At most ${counted(limit, 'task')} may wait. A call beyond that is refused with ERR_QUEUE_FULL.`,
      `Now ${queue.size === 1 ? '1 task waits' : `${count(queue.size)} tasks wait`}${how === 'limit' && queue.size > limit ? ': what waits already is not refused' : ''}.`,
    ],
    request: ({ how, limit }) => patch({ queueLimit: how === 'none' ? null : limit }),
    apply: 'Change the limit',
    done: 'The limit of the queue is changed.',
  },
  {
    id: 'pause',
    button: 'Pause…',
    stops: true,
    title: 'Pause the pool',
    effect: (stats) => [
      stats.state === 'paused' ? 'The pool is paused already: nothing changes.' : 'No further task begins.',
      stats.state === 'draining'
        ? 'The pool drains: new calls stay refused, and the calls that wait do not begin until you resume. Tasks that run go on to their end.'
        : 'Calls are still accepted and wait; tasks that run go on to their end. The queue grows until you resume.',
      openNow(stats),
    ],
    request: () => post('pause'),
    apply: 'Pause',
    done: 'The pool is paused.',
  },
  {
    id: 'resume',
    button: 'Resume…',
    title: 'Resume the pool',
    effect: (stats) => [
      stats.state === 'open'
        ? 'The pool is open already: nothing changes.'
        : 'The pool will be open: calls are accepted, and tasks that wait begin.',
      openNow(stats),
    ],
    request: () => post('resume'),
    apply: 'Resume',
    done: 'The pool is resumed.',
  },
  {
    id: 'drain',
    button: 'Drain…',
    stops: true,
    title: 'Drain the pool',
    effect: (stats) => [
      'From now on new calls are refused: their callers get an error. Calls that were accepted run to their end.',
      'The pool and its workers stay; resume opens it again.',
      ...(stats.state === 'paused' ? ['The pool is paused now: the calls that wait begin at once.'] : []),
      openNow(stats),
    ],
    request: () => post('drain'),
    apply: 'Refuse new calls',
    done: 'The pool drains: new calls are refused.',
  },
  {
    id: 'recycle',
    button: 'Recycle…',
    title: 'Replace every worker',
    effect: ({ threads }) => [
      `${threads.current === 1 ? 'The one worker is' : `All ${count(threads.current)} workers, one after another, are`} replaced by new ones that load the module afresh.`,
      'Each ends what it has begun; no call is lost. What the module keeps in memory is gone.',
    ],
    request: () => post('recycle'),
    apply: 'Replace the workers',
    done: 'The workers are being replaced, one after another.',
  },
];

function threadFields({ threads: { current, min, max } }) {
  return [
    {
      name: 'how',
      legend: 'Workers',
      value: min === max ? 'number' : 'range',
      options: [
        {
          value: 'number',
          label: 'always exactly',
          numbers: { exactly: number(min === max ? max : current, 'Exactly, workers', 'workers') },
        },
        {
          value: 'range',
          label: 'between',
          numbers: {
            min: number(min, 'At least, workers', 'and'),
            max: number(max, 'At most, workers', 'workers'),
          },
        },
        { value: 'auto', label: 'automatic: as many as get the most done, by measurement' },
      ],
    },
  ];
}

function threadEffect({ threads }, { how, exactly, min, max }) {
  const now = `There ${threads.current === 1 ? 'is 1' : `are ${count(threads.current)}`} now, of ${count(threads.min)} to ${count(threads.max)}.`;
  const safe = 'Workers that are too many first end what they have begun; no call is lost.';
  if (how === 'auto')
    return ['The pool measures how many workers get the most done, and starts and ends them.', now, safe];
  const bounds = `at least ${count(min)} and at most ${counted(max, 'worker')}, as work comes`;
  const exact = () => `exactly ${counted(exactly, 'worker')}, ${differenceTo(threads.current, exactly)}`;
  return [`There will be ${how === 'number' ? exact() : bounds}.`, now, safe];
}

function differenceTo(current, wanted) {
  if (wanted > current) return `${count(wanted - current)} more than now`;
  return wanted < current ? `${count(current - wanted)} fewer than now` : 'as many as now';
}
