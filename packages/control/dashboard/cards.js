/** The figures of the opened pool: what each card shows, from which field, in which unit. */
import { Chart, STROKES } from './chart.js';
import { element, setText } from './dom.js';
import { bytes, count, counted, duration, percent, rate } from './format.js';
import { countsOf } from './history.js';

/** `lead`: the figure that matters most. A row without `pick` is text only. */
const CARDS = [
  {
    title: 'Workers',
    lead: ({ threads }) => counted(threads.current, 'worker'),
    rows: [
      { label: 'there', pick: (s) => s.current, text: ({ threads }) => count(threads.current) },
      {
        label: 'busy',
        pick: (s) => s.busy,
        text: ({ threads: { current, starting, idle } }) => count(current - starting - idle),
      },
      { label: 'idle', text: ({ threads }) => count(threads.idle) },
      { label: 'starting', text: ({ threads }) => count(threads.starting) },
      { label: 'bounds', text: ({ threads: { min, max } }) => bounds(min, max) },
    ],
    format: count,
    scale: 'linear',
    least: 1,
  },
  {
    title: 'Queue',
    lead: ({ queue }) => `${counted(queue.size, 'task')} waiting`,
    rows: [
      { label: 'waiting', pick: (s) => s.queue, text: ({ queue }) => count(queue.size) },
      { label: 'oldest waits', text: ({ queue }) => (queue.size === 0 ? '–' : duration(queue.oldestMs)) },
      { label: 'limit', text: ({ queue }) => (queue.limit === null ? 'none' : count(queue.limit)) },
      { label: 'open calls', text: ({ tasks }) => count(tasks.open) },
    ],
    format: count,
    scale: 'linear',
    least: 10,
  },
  {
    title: 'Throughput',
    lead: ({ throughput }) => rate(throughput),
    rows: [
      { label: 'last 10 s', pick: (s) => s.throughput, text: ({ throughput }) => rate(throughput) },
      { label: 'completed', text: ({ tasks }) => count(tasks.completed) },
    ],
    format: rate,
    scale: 'linear',
    least: 1,
  },
  latency('Run time', 'run', 'runMs'),
  latency('Wait time', 'wait', 'waitMs'),
  {
    title: 'Event loops',
    lead: ({ process }) => `main ${percent(process?.utilization)} busy`,
    rows: [
      { label: 'main', pick: (s) => s.loops.main, text: ({ process }) => percent(process?.utilization) },
      {
        label: 'workers, mean',
        pick: (s) => s.loops.workers,
        text: (_stats, sample) => percent(sample.loops.workers),
      },
      {
        label: 'coordinator',
        pick: (s) => s.loops.coordinator,
        text: ({ coordinator }) => (coordinator === undefined ? 'none' : percent(coordinator.utilization)),
      },
    ],
    format: percent,
    scale: 'ratio',
  },
  {
    title: 'Memory',
    lead: ({ process }) => bytes(process?.residentBytes),
    rows: [
      {
        label: 'process, resident',
        pick: (s) => s.memory.resident,
        text: ({ process }) => bytes(process?.residentBytes),
      },
      {
        label: 'heap of main',
        pick: (s) => s.memory.heap,
        text: ({ process }) => bytes(process?.heapUsedBytes),
      },
      { label: 'heaps of workers', pick: (s) => s.memory.workers, text: (_, s) => bytes(s.memory.workers) },
    ],
    format: bytes,
    scale: 'bytes',
  },
];

const bounds = (min, max) => (min === max ? `always ${count(min)}` : `${count(min)} to ${count(max)}`);

/** Quantiles are the server's, since the pool began; what is going on now shows in the mean of the last interval. */
function latency(title, part, field) {
  const quantile = (name) => ({
    label: name,
    pick: (s) => (s[part].count === 0 ? undefined : s[part][name]),
    text: (stats) => (stats[field].count === 0 ? '–' : duration(stats[field][name])),
  });
  return {
    title,
    lead: (stats) => (stats[field].count === 0 ? '–' : `p50 ${duration(stats[field].p50)}`),
    rows: [
      { label: 'mean, just now', pick: (s) => s[part].recent, text: (_stats, s) => duration(s[part].recent) },
      quantile('p50'),
      quantile('p90'),
      quantile('p99'),
      { label: 'longest', text: (stats) => (stats[field].count === 0 ? '–' : duration(stats[field].max)) },
    ],
    note: 'Quantiles since it began; log scale.',
    format: duration,
    scale: 'log',
  };
}

const COUNTS = {
  submitted: 'submitted',
  completed: 'completed',
  failed: 'failed',
  retried: 'retried',
  timedOut: 'timed out',
  aborted: 'aborted',
  crashed: 'lost with worker',
  rejected: 'refused',
  crashes: 'workers crashed',
  recycled: 'workers recycled',
  interrupted: 'replaced after timeout or abort',
  restarts: 'coordinator restarts',
};
/** More than none of these is worth a look: they are marked. */
const BAD = new Set(['failed', 'timedOut', 'crashed', 'rejected', 'crashes', 'interrupted', 'restarts']);

export class Cards {
  #cards;
  #counts;

  constructor(parent) {
    this.#cards = CARDS.map((spec) => new Card(parent, spec));
    this.#counts = new CountsCard(parent);
  }

  update(stats, history) {
    for (const card of this.#cards) card.update(stats, history.latest);
    this.#counts.update(stats, history.grown());
  }

  draw(history, now) {
    for (const card of this.#cards) card.draw(history.samples, now);
  }

  redraw() {
    for (const card of this.#cards) card.redraw();
  }
}

class Card {
  #spec;
  #lead = element('p', { class: 'lead' });
  #values = [];
  #chart;

  constructor(parent, spec) {
    this.#spec = spec;
    const list = element('dl');
    let stroke = 0;
    for (const row of spec.rows) {
      const value = element('dd');
      const swatch = row.pick === undefined ? element('span', { class: 'no-swatch' }) : swatchOf(stroke++);
      list.append(element('div', {}, element('dt', {}, swatch, row.label), value));
      this.#values.push(value);
    }
    const canvas = element('canvas', { class: 'chart', role: 'img' });
    const title = element('h4', { text: spec.title });
    const note = spec.note === undefined ? [] : [element('p', { class: 'quiet small', text: spec.note })];
    parent.append(element('article', { class: 'card' }, title, this.#lead, canvas, list, ...note));
    const series = spec.rows.filter(({ pick }) => pick !== undefined);
    const { title: name, format, scale, least } = spec;
    this.#chart = new Chart(canvas, { title: name, series, format, scale, least });
  }

  update(stats, sample) {
    setText(this.#lead, this.#spec.lead(stats));
    this.#spec.rows.forEach(({ text }, i) => {
      setText(this.#values[i], text(stats, sample));
    });
  }

  draw(samples, now) {
    this.#chart.update(samples, now);
  }

  redraw() {
    this.#chart.redraw();
  }
}

/** The piece of line that a row's figure has in the chart. */
function swatchOf(index) {
  const { color, dash, width } = STROKES[index];
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const line = document.createElementNS(space, 'line');
  for (const [name, value] of Object.entries({ x1: 0, y1: 4, x2: 24, y2: 4 })) line.setAttribute(name, value);
  line.setAttribute('stroke-dasharray', dash.join(' '));
  line.setAttribute('stroke-width', width);
  line.setAttribute('class', `stroke-${color}`);
  for (const [name, value] of Object.entries({ width: 24, height: 8, 'aria-hidden': 'true' }))
    svg.setAttribute(name, value);
  svg.append(line);
  return svg;
}

class CountsCard {
  #rows = new Map();
  #recent = element('th', { scope: 'col', class: 'number' });

  constructor(parent) {
    const body = element('tbody');
    for (const [name, label] of Object.entries(COUNTS)) {
      const [total, recent] = [element('td', { class: 'number' }), element('td', { class: 'number' })];
      const row = element('tr', {}, element('th', { scope: 'row', text: label }), total, recent);
      body.append(row);
      this.#rows.set(name, { row, total, recent });
    }
    const head = element('tr', {});
    head.append(
      element('th', { scope: 'col', text: 'What' }),
      element('th', { scope: 'col', class: 'number', text: 'total' }),
      this.#recent,
    );
    const table = element(
      'table',
      { class: 'counts', 'aria-label': 'Counts since the pool began' },
      element('thead', {}, head),
      body,
    );
    parent.append(element('article', { class: 'card' }, element('h4', { text: 'Counts' }), table));
  }

  update(stats, grown) {
    const counts = countsOf(stats);
    setText(this.#recent, `in ${count(Math.round(grown.ms / 1000))}\u00a0s`);
    for (const [name, { row, total, recent }] of this.#rows) {
      row.hidden = counts[name] === undefined;
      const more = grown.counts[name];
      setText(total, count(counts[name]));
      setText(recent, more > 0 ? `+${count(more)}` : '0');
      row.classList.toggle('bad', BAD.has(name) && more > 0);
    }
  }
}
