/** The decisions about a pool's size, and what it has told: its errors and events; the newest first. */
import { announce } from './announcer.js';
import { byId, setText } from './dom.js';
import { count, counted, errorText, time } from './format.js';
import { figures, keyedRows } from './keyed-rows.js';

/** How many events are kept on the page. */
const KEPT = 200;
/** The reasons of an exit that are shown as errors: nobody had told the worker to end, or it would not. */
const BAD_EXITS = new Set(['crashed', 'load-failed', 'interrupted']);

/** What one pool has said while it was opened. */
export class PoolLog {
  /** `{ serial, at, kind, text, isError }`, the newest first. */
  events = [];
  errors = 0;
  since = Date.now();
  #serial = 0;

  /** An event of the stream. */
  take(name, event) {
    if (name in TOLD) this.add(TOLD[name](event));
  }

  add({ kind, text, isError }) {
    if (isError) this.errors++;
    this.events.unshift({ serial: this.#serial++, at: Date.now(), kind, text, isError });
    this.events.length = Math.min(this.events.length, KEPT);
  }
}

/** What is told of each event of the stream. */
const TOLD = {
  'worker:start': ({ workerId }) => ({ kind: 'worker start', text: `Worker ${workerId} starts.` }),
  'worker:ready': ({ workerId, startMs }) => ({
    kind: 'worker ready',
    text: `Worker ${workerId} is ready, after ${count(startMs)} ms.`,
  }),
  'worker:exit': (event) => ({
    kind: 'worker exit',
    text: exitText(event),
    isError: BAD_EXITS.has(event.reason),
  }),
  'pool:close': () => ({ kind: 'closed', text: 'The pool is closed.' }),
  error: ({ error }) => ({ kind: 'error', text: errorText(error), isError: true }),
};

function exitText({ workerId, reason, exitCode, error }) {
  const code = exitCode === undefined || exitCode === null ? '' : `, exit code ${exitCode}`;
  const cause = error === undefined || error === null ? '' : `: ${errorText(error)}`;
  return `Worker ${workerId} ended (${reason}${code})${cause}`;
}

/** Shows the log of the opened pool. */
export function makeLogView() {
  const onlyErrors = byId('errors-only');
  const decisionRows = keyedRows(byId('decisions'), {
    keyOf: ({ at, by, from, to }) => `${at} ${by} ${from} ${to}`,
    columns: [
      { title: 'Time', isHead: true, text: ({ at }) => time(at) },
      figures('Workers', ({ from, to }) => `${count(from)} → ${count(to)}`),
      { title: 'Why', text: ({ why }) => why },
      figures('Waiting', ({ queued }) => count(queued)),
      figures('Idle', ({ idle }) => count(idle)),
      { title: 'By', text: ({ by }) => by },
    ],
  });
  const eventRows = keyedRows(byId('events'), {
    keyOf: ({ serial }) => serial,
    classOf: ({ isError }) => (isError ? 'bad' : ''),
    columns: [
      { title: 'Time', isHead: true, text: ({ at }) => time(at) },
      { title: 'Kind', text: ({ kind }) => kind },
      { title: 'What', text: ({ text }) => text },
    ],
  });
  let log;
  let announcedErrors = 0;
  onlyErrors.addEventListener('change', showEvents);
  return {
    open(opened) {
      log = opened;
      announcedErrors = log.errors;
    },

    update({ sizing: { policy, decisions } }) {
      // The pool and its coordinator tell each by itself.
      decisionRows.update(decisions.toSorted((a, b) => b.at - a.at));
      const none = decisions.length === 0 ? ' No change of the number of workers has been decided yet.' : '';
      setText(byId('decisions-note'), `Policy: ${policy}.${none}`);
      showEvents();
      announceErrors();
    },
  };

  function showEvents() {
    if (log === undefined) return;
    const { events, errors, since } = log;
    eventRows.update(onlyErrors.checked ? events.filter(({ isError }) => isError) : events);
    const what = `${counted(errors, 'error')} heard since this page opened the pool`;
    setText(
      byId('events-note'),
      `${what}, ${time(since)}. For what happened before, see the program's own log.`,
    );
  }

  /** However many there are within a second, they are told as one. */
  function announceErrors() {
    const fresh = log.errors - announcedErrors;
    if (fresh <= 0) return;
    announcedErrors = log.errors;
    const latest = log.events.find(({ isError }) => isError);
    announce(fresh === 1 ? latest.text : `${counted(fresh, 'error')}, the last: ${latest.text}`);
  }
}
