/** The table of all pools. */
import { announce } from './announcer.js';
import { byId, element, setAttribute, setText } from './dom.js';
import { count, counted, duration, rate } from './format.js';
import { KeyedRows } from './keyed-rows.js';
import { showState, stateBadge } from './state-badge.js';

export class Overview {
  #summary = byId('pools-summary');
  #states = new Map();
  #opened;
  #rows;

  constructor() {
    this.#rows = new KeyedRows(byId('pools'), {
      keyOf: ({ name }) => name,
      classOf: ({ name }) => (name === this.#opened ? 'opened' : ''),
      columns: [
        {
          isHead: true,
          make: () => element('a', { class: 'name' }),
          show: (a, { name }) => this.#link(a, name),
        },
        { make: stateBadge, show: (badge, { state }) => showState(badge, state) },
        { isNumber: true, text: ({ queue }) => waitingOf(queue) },
        { isNumber: true, text: ({ queue }) => (queue.size === 0 ? '–' : duration(queue.oldestMs)) },
        { isNumber: true, text: ({ throughput }) => rate(throughput) },
        { isNumber: true, text: ({ threads }) => workersOf(threads) },
        { isNumber: true, text: ({ runMs }) => quantile(runMs, 'p50') },
        { isNumber: true, text: ({ runMs }) => quantile(runMs, 'p99') },
        { isNumber: true, text: ({ waitMs }) => quantile(waitMs, 'p99') },
        { isNumber: true, text: ({ tasks }) => count(tasks.failed) },
        { isNumber: true, text: ({ crashes }) => count(crashes) },
      ],
    });
  }

  set opened(name) {
    this.#opened = name;
  }

  update(pools) {
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
    ];
    setText(this.#summary, pools.length === 0 ? 'This process serves no pools.' : all.join(' · '));
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

function workersOf({ current, min, max }) {
  return `${count(current)} of ${min === max ? count(min) : `${count(min)}–${count(max)}`}`;
}

function waitingOf({ size, limit }) {
  return limit === null ? count(size) : `${count(size)} of ${count(limit)}`;
}

function quantile(distribution, name) {
  return distribution.count === 0 ? '–' : duration(distribution[name]);
}
