/** The table of all pools. */
import { announce } from './announcer.js';
import { byId, drawing, element, setAttribute, setText } from './dom.js';
import { count, counted, duration, quantile, rate } from './format.js';
import { minutesOf, SPAN_MS } from './history.js';
import { figures, keyedRows } from './keyed-rows.js';
import { MOST_CLOSED } from './sample.js';
import { showState, stateBadge } from './state-badge.js';

/** Of the line beside a figure. Its own units. */
const LINE = { width: 100, height: 20 };

export class Overview {
  #table = byId('pools');
  #summary = byId('pools-summary');
  #states = new Map();
  /** When each closed pool was first seen closed, by name. */
  #closedSince = new Map();
  /** How many closed pools are not shown. */
  #leftOut = 0;
  #opened;
  #rows;

  /** @param historyOf gives what is known of the pool of a name; undefined before there is anything */
  constructor(historyOf) {
    this.#rows = keyedRows(this.#table, {
      keyOf: ({ name }) => name,
      classOf: ({ name }) => (name === this.#opened ? 'opened' : ''),
      columns: [
        {
          title: 'Pool',
          isHead: true,
          make: () => element('a', { class: 'name' }),
          show: (a, { name }) => this.#link(a, name),
        },
        { title: 'State', make: stateBadge, show: (badge, { state }) => showState(badge, state) },
        figures('Waiting', ({ queue }) => waitingOf(queue)),
        figures('Oldest waits', ({ queue }) => (queue.size === 0 ? '–' : duration(queue.oldestMs))),
        {
          title: 'Throughput',
          isNumber: true,
          make: throughputCell,
          show: (cell, { name, throughput }) => showThroughput(cell, throughput, historyOf(name)),
        },
        figures('Workers', ({ threads }) => workersOf(threads)),
        figures('Run p50', ({ recent }) => quantile(recent?.runMs, 'p50')),
        figures('Run p99', ({ recent }) => quantile(recent?.runMs, 'p99')),
        figures('Wait p99', ({ recent }) => quantile(recent?.waitMs, 'p99')),
        // A pool whose calls all time out, or all lose their worker, must not show 0.
        figures('Failed', ({ tasks }) => count(tasks.failed + tasks.timedOut + tasks.crashed)),
        figures('Crashes', ({ crashes }) => count(crashes)),
      ],
    });
  }

  set opened(name) {
    this.#opened = name;
  }

  /** The pools to show: of the closed ones that the program still lists, the last ones, and those for ten minutes; and the opened one. */
  shownOf(pools, at) {
    const closed = pools.filter(({ state }) => state === 'closed');
    this.#closedSince = new Map(closed.map(({ name }) => [name, this.#closedSince.get(name) ?? at]));
    const since = ({ name }) => this.#closedSince.get(name);
    const last = closed.sort((a, b) => since(a) - since(b)).slice(-MOST_CLOSED);
    const stays = (pool) => pool.name === this.#opened || (last.includes(pool) && at - since(pool) < SPAN_MS);
    const shown = pools.filter((pool) => pool.state !== 'closed' || stays(pool));
    this.#leftOut = pools.length - shown.length;
    return shown;
  }

  update(pools) {
    // Of the only pool, a larger chart is below.
    this.#table.classList.toggle('several', pools.length > 1);
    this.#rows.update(pools);
    const sum = (pick) => pools.reduce((total, pool) => total + pick(pool), 0);
    const all = [
      counted(pools.length, 'pool'),
      counted(
        sum(({ threads }) => threads.current),
        'worker',
      ),
      rate(sum(({ throughput }) => throughput ?? 0)),
      `${count(sum(({ queue }) => queue.size))} waiting`,
      'run and wait of the last 10\u00a0s',
      ...(this.#leftOut > 0 ? [`${counted(this.#leftOut, 'closed pool')} left out`] : []),
    ];
    setText(
      this.#summary,
      pools.length + this.#leftOut === 0 ? 'This process serves no pools.' : all.join(' · '),
    );
  }

  /** Says which pools are in another state than before, came, or went. Called even while the display is frozen. */
  announceChanges(pools) {
    const before = this.#states;
    this.#states = new Map(pools.map(({ name, state }) => [name, state]));
    if (before.size === 0) return;
    for (const [name, state] of this.#states) {
      if (!before.has(name)) announce(`New pool ${name}, ${state}.`);
      else if (before.get(name) !== state) announce(`Pool ${name} is ${state}.`);
    }
    for (const name of before.keys()) if (!this.#states.has(name)) announce(`Pool ${name} is gone.`);
  }

  #link(link, name) {
    setText(link, name);
    setAttribute(link, 'href', `#${new URLSearchParams({ pool: name })}`);
    setAttribute(link, 'aria-current', name === this.#opened ? 'true' : undefined);
  }
}

function throughputCell() {
  const { width, height } = LINE;
  const frame = { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img' };
  const line = drawing('svg', frame, drawing('polyline', { 'vector-effect': 'non-scaling-stroke' }));
  return element('span', { class: 'with-line' }, line, element('span'));
}

/** The line has a scale of its own: it shows how a pool's figure moved, not which pool does more. */
function showThroughput(cell, throughput, history) {
  const [line, figure] = cell.children;
  setText(figure, rate(throughput));
  const known = (history?.samples ?? []).filter((sample) => sample.throughput !== undefined);
  const most = Math.max(0, ...known.map((sample) => sample.throughput));
  const end = known.at(-1)?.at;
  const spanMs = minutesOf(known, end) * 60_000;
  const points = known.map(({ at, throughput: value }) => {
    const x = LINE.width * (1 - (end - at) / spanMs);
    const y = 1 + (LINE.height - 2) * (1 - value / (most || 1));
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  setAttribute(line.firstElementChild, 'points', points.join(' '));
  setAttribute(line, 'aria-label', `Throughput over time, at most ${rate(most)}`);
}

function workersOf({ current, min, max }) {
  return `${count(current)} of ${min === max ? count(min) : `${count(min)}–${count(max)}`}`;
}

function waitingOf({ size, limit }) {
  return limit === null ? count(size) : `${count(size)} of ${count(limit)}`;
}
