/** The figures of the opened pool: what each card shows, from which field, in which unit. */
import { makeChart, STROKES } from './chart.js';
import { drawing, element, setText } from './dom.js';
import { bytes, count, counted, duration, milliseconds, percent, quantile, rate, span } from './format.js';
import { figures, keyedRows } from './keyed-rows.js';
import { countsOf } from './sample.js';

/**
 * `lead(stats, sample)`: the figure that matters most. `text(stats)` of a row: if it has none, what it picks of the sample is shown, as in
 * the chart; one without `pick` is text only.
 */
const CARDS = [
  {
    title: 'Workers',
    lead: ({ threads }) => counted(threads.current, 'worker'),
    rows: [
      { label: 'there', pick: (s) => s.current },
      { label: 'busy', pick: (s) => s.busy },
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
      { label: 'waiting', pick: (s) => s.queue },
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
    lead: (_, { throughput }) => rate(throughput),
    rows: [
      { label: 'last 10 s', pick: (s) => s.throughput },
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
    lead: (_, { mainBusy }) => `main ${percent(mainBusy)} busy`,
    rows: [
      { label: 'main', pick: (s) => s.mainBusy },
      { label: 'workers, mean', pick: (s) => s.workersBusy },
      {
        label: 'coordinator',
        pick: (s) => s.coordinatorBusy,
        text: ({ coordinator }) => (coordinator === undefined ? 'none' : percent(coordinator.utilization)),
      },
    ],
    format: percent,
    scale: 'ratio',
  },
  {
    title: 'Memory',
    lead: (_, { residentBytes }) => bytes(residentBytes),
    rows: [
      { label: 'process, resident', pick: (s) => s.residentBytes },
      { label: 'heap of main', pick: (s) => s.mainHeapBytes },
      { label: 'heaps of workers', pick: (s) => s.workerHeapBytes },
    ],
    format: bytes,
    scale: 'bytes',
  },
];

const bounds = (min, max) => (min === max ? `always ${count(min)}` : `${count(min)} to ${count(max)}`);

/** Of the calls that ended lately: what is going on now must not drown in what was. */
function latency(title, part, field) {
  const lately = (label, figure) => ({ label, pick: (s) => s[`${part}${figure}`] });
  return {
    title,
    lead: (_, sample) => `p50 ${duration(sample[`${part}P50`])}`,
    rows: [
      lately('p50', 'P50'),
      lately('p90', 'P90'),
      lately('p99', 'P99'),
      lately('mean', 'Mean'),
      { label: 'p99 since it began', text: (stats) => quantile(stats[field], 'p99') },
      { label: 'longest since it began', text: (stats) => quantile(stats[field], 'max') },
    ],
    note: ({ recent }) => `Of calls that ended in the last ${span(recent?.ms)}; log scale.`,
    format: duration,
    axis: milliseconds,
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
  rejected: 'ended with the pool',
  crashes: 'workers crashed',
  recycled: 'workers recycled',
  interrupted: 'replaced after timeout or abort',
  restarts: 'coordinator restarts',
};
/** More than none of these is worth a look: they are marked. */
const BAD = new Set(['failed', 'timedOut', 'crashed', 'rejected', 'crashes', 'interrupted', 'restarts']);

export function makeCards(parent) {
  const cards = CARDS.map((spec) => makeCard(parent, spec));
  const updateCounts = makeCountsCard(parent);
  return {
    update(stats, history) {
      for (const { update } of cards) update(stats, history.latest);
      updateCounts(stats, history.grown());
    },
    draw(history, now) {
      for (const { chart } of cards) chart.update(history.samples, now);
    },
    redraw() {
      for (const { chart } of cards) chart.redraw();
    },
  };
}

function makeCard(parent, spec) {
  const { rows, format } = spec;
  const [lead, note] = [element('p', { class: 'lead' }), element('p', { class: 'quiet small' })];
  const list = element('dl');
  let stroke = 0;
  const values = rows.map(({ label, pick }) => {
    const value = element('dd');
    const swatch = pick === undefined ? element('span', { class: 'no-swatch' }) : swatchOf(stroke++);
    list.append(element('div', {}, element('dt', {}, swatch, label), value));
    return value;
  });
  const canvas = element('canvas', { class: 'chart', role: 'img' });
  const title = element('h4', { text: spec.title });
  parent.append(element('article', { class: 'card' }, title, lead, canvas, list, note));
  const series = rows.filter(({ pick }) => pick !== undefined);
  const chart = makeChart(canvas, { axis: format, ...spec, series });
  const update = (stats, sample) => {
    setText(lead, spec.lead(stats, sample));
    setText(note, spec.note?.(stats) ?? '');
    rows.forEach(({ pick, text = () => format(pick(sample)) }, i) => setText(values[i], text(stats)));
  };
  return { chart, update };
}

/** The piece of line that a row's figure has in the chart. */
function swatchOf(index) {
  const { color, dash, width } = STROKES[index];
  const stroke = {
    'stroke-dasharray': dash.join(' '),
    'stroke-width': width,
    style: `stroke: var(--${color})`,
  };
  const line = drawing('line', { x1: 0, y1: 4, x2: 24, y2: 4, ...stroke });
  return drawing('svg', { width: 24, height: 8, 'aria-hidden': 'true' }, line);
}

function makeCountsCard(parent) {
  const recent = element('span');
  const table = element('table', { class: 'counts', 'aria-label': 'Counts since the pool began' });
  const rows = keyedRows(table, {
    keyOf: ({ name }) => name,
    classOf: ({ name, more }) => (BAD.has(name) && more > 0 ? 'bad' : ''),
    columns: [
      { title: 'What', isHead: true, text: ({ name }) => COUNTS[name] },
      figures('total', ({ all }) => count(all)),
      figures(recent, ({ more }) => (more > 0 ? `+${count(more)}` : '0')),
    ],
  });
  // Hundreds of thousands of millions, as a day of short tasks makes them, are wider than a phone.
  const box = element('div', { class: 'scroll', 'data-name': 'Counts, table' }, table);
  parent.append(element('article', { class: 'card' }, element('h4', { text: 'Counts' }), box));
  return (stats, grown) => {
    const counts = Object.entries(countsOf(stats)).filter(([, all]) => all !== undefined);
    setText(recent, `in ${span(grown.ms)}`);
    rows.update(counts.map(([name, all]) => ({ name, all, more: grown.counts[name] })));
  };
}
