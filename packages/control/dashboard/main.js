/** Starts the page: which pool is opened, where its numbers come from, and how the lines to the server are. */
import { announce } from './announcer.js';
import { followEvents, poolPath, requestJson } from './api.js';
import { byId, setHidden, setText } from './dom.js';
import { FleetTables } from './fleets.js';
import { count, span, time } from './format.js';
import { GAP_MS, History } from './history.js';
import { openLink } from './link.js';
import { PoolLog } from './logs.js';
import { Overview } from './overview.js';
import { PoolView } from './pool-view.js';
import { makeScrollable } from './scrollers.js';
import { shown, streamBegins } from './tabs.js';
import { onThemeChange } from './theme.js';
import { takeTokenFromAddress } from './token.js';

/** Of the overview. Milliseconds. */
const POLL_MS = 2000;
/** What changes on the screen does so once in that time, however often the server sends. Milliseconds. */
const SHOW_MS = 950;

takeTokenFromAddress();

const view = new PoolView((stats) => heard(stats));
/** The history of each pool that is shown, by its name; it is kept while another pool is open, so that going back loses nothing. */
const histories = new Map();
const overview = new Overview((name) => histories.get(name));
const logs = new Map();
const fleetTables = new FleetTables();

let pools = [];
let pasts = Promise.resolve();
let opened;
let pollLink;
let streamLink;
/** Since when nothing moves on the screen, or undefined. */
let frozenAt;
let shownAt = 0;
let showTimer;
let pending;

/** How far the clock that measures is behind the time of day: in most browsers it stops while the computer sleeps. Milliseconds. */
let behind = 0;
/** A time of day that is put back does not count: what comes later has a later time. */
function now() {
  const measured = performance.timeOrigin + performance.now();
  if (Date.now() - measured - behind > GAP_MS) behind = Date.now() - measured;
  return measured + behind;
}
const pause = (ms, signal) =>
  new Promise((resolve) => {
    // The signal lives as long as the page: a listener that stayed would be one more each time.
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });

function kept(map, name, make) {
  if (!map.has(name)) map.set(name, make());
  return map.get(name);
}

// -- the overview

async function poll(up, signal) {
  while (!signal.aborted) {
    const { process, pools: found, fleets = [] } = await requestJson('api/pools', { signal });
    up();
    takePools(process, found);
    if (frozenAt === undefined) void fleetTables.refresh(fleets, () => frozenAt === undefined);
    await pause(POLL_MS, signal);
  }
}

function takePools(process, found) {
  const at = now();
  pools = overview.shownOf(found, at);
  forgetOthers();
  // The opened one has its own line, which tells more often. A hidden page asks once a minute, as browsers have it: with a gap each time, for
  // which the whole past of each pool would be asked for.
  if (!document.hidden) for (const stats of pools) if (stats.name !== opened) remember(stats, at);
  overview.announceChanges(found);
  if (opened === undefined && location.hash === '' && found.length === 1) open(found[0].name);
  if (frozenAt !== undefined) return;
  overview.update(pools);
  showProcess(process);
  showLink();
}

function forgetOthers() {
  const names = new Set([opened, ...pools.map(({ name }) => name)]);
  for (const map of [histories, logs]) for (const name of map.keys()) if (!names.has(name)) map.delete(name);
}

function remember(stats, at) {
  if (histories.get(stats.name)?.isOfAnother(stats)) histories.delete(stats.name);
  const history = kept(histories, stats.name, () => new History());
  if (history.lacks(at)) askForPast(stats.name, history);
  history.add(stats, at);
}

/** Asks for the history of the opened pool at once, and for those of the others one after the other: hundreds at a time would delay the page's usual requests. */
function askForPast(name, history) {
  if (name === opened) void takePast(name, history);
  else pasts = pasts.then(() => takePast(name, history)).catch(reportError);
}

/** If it does not come, the charts begin with this page. */
async function takePast(name, history) {
  if (histories.get(name) !== history) return;
  const past = await requestJson(poolPath(name, '/history')).catch(() => undefined);
  if (past === undefined) return;
  history.take(past, now());
  if (frozenAt === undefined) view.refresh(history);
}

function showProcess({ pid, node, title, uptimeMs }) {
  setText(byId('process'), `${title} · process ${pid} · Node.js ${node} · up ${span(uptimeMs)}`);
  document.title = `${title} (${pid}) – threadwise`;
}

// -- the opened pool

function open(name) {
  if (name === opened) return;
  streamLink?.close();
  streamLink = undefined;
  lost.delete('stream');
  opened = name;
  pending = undefined;
  overview.opened = name;
  setHidden(byId('skip'), name === undefined);
  if (name === undefined) view.close();
  else {
    const log = kept(logs, name, () => new PoolLog());
    view.open(name, log);
    streamLink = openLink((up, signal) => follow(name, up, signal), changeOf('stream'));
    // What was frozen has nothing of it.
    if (frozenAt !== undefined) toggleFreeze();
  }
  shownAt = 0;
  overview.update(pools);
}

async function follow(name, up, signal) {
  let state;
  const onEvent = (event, data) => {
    up();
    if (event === 'stats') state = data.state;
    if (name !== opened) return;
    if (event === 'stats') heard(data);
    else logs.get(name).take(event, data);
  };
  const givenUp = streamBegins();
  const ends = AbortSignal.any([signal, givenUp]);
  await followEvents(poolPath(name, '/events'), onEvent, ends).catch((error) => {
    if (state !== 'closed' && error.code !== 'ERR_POOL_CLOSED' && !givenUp.aborted) throw error;
  });
  if (givenUp.aborted) return comeBack(name, signal);
  // A closed pool has no events: it is asked, until it is gone or there is another one of its name.
  do {
    const stats = await requestJson(poolPath(name), { signal });
    ({ state } = stats);
    up();
    heard(stats);
    await pause(POLL_MS, signal);
  } while (state === 'closed' && !signal.aborted);
}

/** Other tabs need the connection while this one is hidden. */
async function comeBack(name, signal) {
  const since = now();
  await shown(signal);
  if (signal.aborted) return;
  const text = `Not followed for ${span(now() - since)}: the tab was hidden, and other tabs needed its connection.`;
  logs.get(name)?.add({ kind: 'connection', text });
}

/** New statistics of a pool, from the stream or from an answer. */
function heard(stats) {
  if (stats.name !== opened) return;
  remember(stats, now());
  pending = stats;
  if (showTimer === undefined) showTimer = setTimeout(show, Math.max(0, shownAt + SHOW_MS - now()));
}

function show() {
  showTimer = undefined;
  if (pending === undefined || frozenAt !== undefined) return;
  shownAt = now();
  const stats = pending;
  pending = undefined;
  view.update(stats, histories.get(stats.name), shownAt);
}

// -- the lines

/** @param which 'overview' or 'stream' */
const changeOf = (which) => (state) => {
  if (state.kind === 'up') announceBack(which);
  else if (state.retryAt !== undefined || state.kind === 'refused') announceLost(which, state);
  showLink();
};

/** Which lines are lost, and since when: that it is so is told once, not at each attempt. */
const lost = new Map();

function announceLost(which, { since, error }) {
  if (lost.has(which)) return;
  lost.set(which, since);
  if (lost.size === 1) announce(`${troubleOf(error)}. ${error.message}`);
  if (which === 'stream') logs.get(opened)?.add({ kind: 'connection', text: `Lost: ${error.message}` });
}

function announceBack(which) {
  if (!lost.has(which)) return;
  const since = lost.get(which);
  lost.delete(which);
  if (lost.size === 0) announce('Connected again.');
  const text = `Connected again, after ${span(Date.now() - since)}.`;
  if (which === 'stream') logs.get(opened)?.add({ kind: 'connection', text });
}

/** The banner, and the word in the header. */
function showLink() {
  const states = [pollLink, streamLink].map((link) => link?.state).filter((state) => state !== undefined);
  const bad = states.find(({ kind }) => kind === 'refused') ?? states.find(({ kind }) => kind === 'lost');
  setHidden(byId('banner'), bad === undefined);
  view.showStale(staleText());
  if (bad !== undefined) showBanner(bad);
  else if (frozenAt !== undefined) setText(byId('link-state'), `Display frozen at ${time(frozenAt)}`);
  else if (states.every(({ kind }) => kind === 'up'))
    setText(byId('link-state'), `Connected · ${time(Date.now())}`);
  else setText(byId('link-state'), 'Connecting…');
}

function showBanner({ kind, error, since, retryAt }) {
  const isRefused = kind === 'refused';
  setText(byId('banner-title'), troubleOf(error));
  setText(byId('banner-text'), `${error.message} (${error.code}) Since ${time(since)}.`);
  setText(byId('banner-retry'), isRefused ? 'Give the token…' : 'Try now');
  setText(byId('link-state'), troubleOf(error));
  showNext(isRefused ? '' : retryAt);
}

/** A server that answers with an error is not one that is gone. */
function troubleOf({ status }) {
  if (status === 0) return 'Connection lost';
  if (status === 401) return 'The server wants a token';
  return status === 404 ? 'There is no such pool' : 'The server answers with an error';
}

function showNext(retryAt) {
  const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
  const text = retryAt === undefined ? 'Trying again…' : `Next attempt in ${count(seconds)} s.`;
  setText(byId('banner-next'), retryAt === '' ? '' : text);
}

function staleText() {
  const state = streamLink?.state;
  if (state === undefined || state.kind === 'up' || state.kind === 'connecting') return undefined;
  return `These numbers are old: the last ones came before ${time(state.since)}.`;
}

function retry() {
  for (const link of [pollLink, streamLink]) link?.tryNow();
}

// -- what the viewer does

function route() {
  takeTokenFromAddress();
  open(new URLSearchParams(location.hash.slice(1)).get('pool') ?? undefined);
}

function toggleFreeze() {
  frozenAt = frozenAt === undefined ? Date.now() : undefined;
  byId('freeze').setAttribute('aria-pressed', String(frozenAt !== undefined));
  showLink();
  if (frozenAt !== undefined) return;
  overview.update(pools);
  show();
}

byId('freeze').addEventListener('click', toggleFreeze);
byId('banner-retry').addEventListener('click', retry);
byId('skip').addEventListener('click', (event) => {
  event.preventDefault();
  view.focus();
});
byId('pool-close').addEventListener('click', () => {
  location.hash = 'pools';
});
addEventListener('hashchange', route);
addEventListener('online', retry);
onThemeChange(() => view.redraw());
makeScrollable(document.querySelectorAll('.scroll'));
setInterval(() => {
  if (lost.size > 0) showLink();
}, 1000);

route();
pollLink = openLink(poll, changeOf('overview'));
