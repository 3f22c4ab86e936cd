/** The opened pool: figures, threads over time, logs, functions, workers, and the buttons that change it. */
import { makeActionDialog } from './action-dialog.js';
import { ACTIONS } from './actions.js';
import { makeCards } from './cards.js';
import { byId, element, setHidden, setText } from './dom.js';
import { bytes, count, counted, duration, errorText, percent, quantile, span, time } from './format.js';
import { figures, keyedRows, names } from './keyed-rows.js';
import { makeLogView } from './logs.js';
import { notableOf } from './notable.js';
import { showState, stateBadge } from './state-badge.js';
import { wantsLessMotion } from './theme.js';
import { Timeline } from './timeline.js';

/** Where less motion is wanted, what is drawn moves less often. Milliseconds. */
const CALM_MS = 5000;
/** Statistics come once in a second: less is not told apart. */
const JUST_NOW_MS = 1000;

export class PoolView {
  #section = byId('pool');
  #badge = stateBadge();
  #cards = makeCards(byId('cards'));
  #timeline = new Timeline();
  #log = makeLogView();
  #functions = functionRows();
  #workers;
  #ask = makeActionDialog((...answer) => this.#done(...answer));
  #onChanged;
  #name;
  #stats;
  #history;
  #drawnAt = 0;

  /** `onChanged(stats)`: a change was made, and that is what the pool is like now. */
  constructor(onChanged) {
    this.#onChanged = onChanged;
    this.#workers = workerRows((id) => this.#lastEnded(id));
    byId('pool-state').append(this.#badge);
    for (const action of ACTIONS) {
      const button = element('button', { type: 'button', id: `do-${action.id}`, text: action.button });
      button.classList.toggle('stops', action.stops === true);
      button.addEventListener('click', () => this.#stats !== undefined && this.#ask(action, this.#stats));
      byId('buttons').append(button);
    }
  }

  open(name, log) {
    this.#name = name;
    setText(byId('pool-name'), name);
    setText(byId('result'), '');
    this.#section.classList.add('empty');
    this.#stats = undefined;
    this.#drawnAt = 0;
    this.#log.open(log);
    setHidden(this.#section, false);
  }

  close() {
    setHidden(this.#section, true);
    this.#stats = undefined;
  }

  focus() {
    this.#section.focus();
  }

  /** `text`: since when the figures are old; undefined while they are not. */
  showStale(text) {
    setHidden(byId('pool-stale'), text === undefined);
    setText(byId('pool-stale'), text ?? '');
  }

  update(stats, history, now) {
    this.#stats = stats;
    this.#history = history;
    this.#section.classList.remove('empty');
    showState(this.#badge, stats.state);
    setText(byId('pool-facts'), factsOf(stats));
    showNotable(notableOf(stats, history, now));
    this.#cards.update(stats, history);
    this.#log.update(stats);
    this.#functions.update(stats.functions ?? []);
    setText(byId('functions-note'), noteOnFunctions(stats));
    this.#workers.update([...stats.workers].sort((a, b) => a.id - b.id));
    if (wantsLessMotion() && now - this.#drawnAt < CALM_MS) return;
    this.#drawnAt = now;
    this.#cards.draw(history, now);
    this.#timeline.update(history, now);
  }

  /** More is known of the past than a moment ago. */
  refresh(history) {
    if (this.#stats === undefined || history !== this.#history) return;
    this.#drawnAt = 0;
    this.update(this.#stats, history, history.latest.at);
  }

  /** In other colours. */
  redraw() {
    this.#cards.redraw();
    this.#timeline.recolor();
  }

  #lastEnded(id) {
    const stuck = this.#history.stuckFor(id, this.#history.latest.at);
    if (stuck === undefined) return '–';
    if (stuck.ms < JUST_NOW_MS) return stuck.isAtLeast ? 'not yet seen' : 'just now';
    return `${stuck.isAtLeast ? '≥ ' : ''}${span(stuck.ms)} ago`;
  }

  #done(action, name, stats, refusal) {
    const result = byId('result');
    // The answer may come when another pool is open already.
    const whose = name === this.#name ? '' : `\u2068${name}\u2069: `;
    result.classList.toggle('refused', refusal !== undefined);
    setText(result, `${time(Date.now())}: ${whose}${refusal ?? action.done}`);
    if (stats !== undefined) this.#onChanged(stats);
  }
}

function factsOf({ dispatch, placement, choose, sizing }) {
  // With the shared queue, workers take tasks by themselves: the strategy chooses nothing.
  const strategy = dispatch === 'shared-queue' ? '' : ` · strategy ${choose}`;
  return `dispatch ${dispatch} · placement ${placement}${strategy} · sizing ${sizing.policy}`;
}

function showNotable(sentences) {
  const list = byId('notable');
  const shown = sentences.length === 0 ? ['Nothing.'] : sentences;
  list.classList.toggle('nothing', sentences.length === 0);
  while (list.children.length > shown.length) list.lastElementChild.remove();
  shown.forEach((text, i) => {
    setText(list.children[i] ?? list.appendChild(element('li')), text);
  });
}

function noteOnFunctions({ functions }) {
  if (functions === undefined) return 'The library of this program does not report functions.';
  return functions.length === 0
    ? 'No function has been called yet.'
    : `${counted(functions.length, 'function')} called.`;
}

function functionRows() {
  return keyedRows(byId('functions'), {
    keyOf: ({ name }) => name,
    columns: [
      { isHead: true, ...names('Function', ({ name }) => name) },
      { title: 'Runs on', text: ({ place }) => (place === 'inline' ? 'main thread' : 'worker threads') },
      { title: 'Why', text: ({ why }) => why },
      figures('Calls', ({ calls }) => count(calls)),
      figures('Of them inline', ({ inline }) => count(inline)),
      figures('Failed', ({ failures }) => count(failures)),
      figures('Timed out', ({ timeouts }) => count(timeouts)),
      figures('Mean run time', ({ runMs }) => (runMs === 0 ? '–' : duration(runMs))),
      {
        title: 'Last error',
        make: () => element('div'),
        show: (node, { lastError }) => showLastError(node, lastError),
      },
    ],
  });
}

/** The stack is there to be unfolded, and stays unfolded when the next error comes. */
function showLastError(node, error) {
  if (!error) return setText(node, '–');
  if (node.firstElementChild === null) {
    const stack = element('details', {}, element('summary', { text: 'Stack' }), element('pre'));
    node.replaceChildren(element('bdi'), stack);
  }
  const [text, stack] = node.children;
  setText(text, `${time(error.at)}: ${errorText(error)}`);
  setText(stack.lastElementChild, error.stack);
  setHidden(stack, error.stack === '');
}

function workerRows(lastEnded) {
  return keyedRows(byId('workers'), {
    keyOf: ({ id }) => id,
    columns: [
      { title: 'Worker', isHead: true, isNumber: true, text: ({ id }) => `${id}` },
      { title: 'State', text: ({ state, inline }) => (inline ? `${state}, main thread` : state) },
      figures('Load', ({ load }) => count(load)),
      figures('Loop busy', ({ utilization }) => percent(utilization)),
      figures('Last ended', ({ id }) => lastEnded(id)),
      figures('Ended', ({ completed }) => count(completed)),
      figures('Run p50', ({ runMs }) => quantile(runMs, 'p50')),
      figures('Run p99', ({ runMs }) => quantile(runMs, 'p99')),
      figures('Wait p99', ({ waitMs }) => quantile(waitMs, 'p99')),
      figures('CPU used', ({ cpu }) => duration(cpu?.usedMs)),
      figures('Waited for CPU', ({ cpu }) => duration(cpu?.waitedMs)),
      figures('Heap', ({ heapUsedBytes }) => (heapUsedBytes === 0 ? '–' : bytes(heapUsedBytes))),
      figures('Age', ({ ageMs }) => span(ageMs)),
    ],
  });
}
