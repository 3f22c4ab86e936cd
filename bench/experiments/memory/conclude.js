// The conclusions of the experiment memory: how much a thread takes, as a slope over their number, and how much a module adds, by its size.
import { shown as shownWith } from '../../conclusions/clauses.js';
import { isWithin, not } from '../../conclusions/finding.js';
import { FEWEST_ROUNDS } from '../../conclusions/conclusions.js';
import { published } from './published.js';
import { LOADING } from './scenarios.js';

export const BARE = 'as published';
const ROWS = [BARE, 'threadwise', 'piscina'];
/** The factor within which a size is still about the published one. */
const ABOUT = 1.25;
/** What the chapter calls a megabyte, in MiB: a thousand kilobytes of ps, each of 1024 bytes. */
const MB = 1000 / 1024;

const [, { rows: ofThread }] = published.tables;

export function conclude(scenarios, tools) {
  return [
    ...ROWS.flatMap((row) => sentenceFor(row, perThread(scenarios, row, tools), tools)),
    ...sizes(scenarios, tools),
  ];
}

/** Judges each claim of the chapter. */
export function judge(scenarios, tools) {
  return [
    aboutSixMegabytes(perThread(scenarios, BARE, tools), idlingOf(scenarios), tools),
    moreWithModules(perKibibyte(scenarios, tools), loadingOf(scenarios), tools),
  ];
}

/** How much a thread takes. Starts at one thread, since the first one brings the pool and its package with it. */
export function perThread(scenarios, row, { slope }, metric = 'residentMiB') {
  const idling = idlingOf(scenarios).filter(({ x }) => x > 0);
  return slope(idling, row, metric);
}

export const perKibibyte = (scenarios, { slope }) => slope(loadingOf(scenarios), BARE, 'perThreadMiB');

export const loadingOf = (scenarios) => scenarios.filter(({ curve }) => curve === LOADING);
export const idlingOf = (scenarios) => scenarios.filter(({ curve }) => curve !== LOADING);

function aboutSixMegabytes(slope, scenarios, tools) {
  const [[, megabytes]] = ofThread;
  const claim = `about ${megabytes} MB a thread`;
  if (slope === undefined)
    return { claim, holds: undefined, said: 'it was not measured with several threads' };
  const isAbout = isWithin(slope, (megabytes * MB) / ABOUT, megabytes * MB * ABOUT);
  return { claim, holds: isFew(scenarios) ? undefined : isAbout, said: shown(slope, tools) };
}

function moreWithModules(slope, scenarios, tools) {
  const claim = 'more with what a thread loads';
  if (slope === undefined) return { claim, holds: undefined, said: 'it was not measured with several sizes' };
  const holds = isFew(scenarios) ? undefined : not(isWithin(slope, -Infinity, 0));
  return { claim, holds, said: `${shown(perMebibyte(slope), tools)} for each MiB of source` };
}

export const perMebibyte = (slope) =>
  Object.fromEntries(Object.entries(slope).map(([key, value]) => [key, 1024 * value]));

/** Whether there are too few rounds for a verdict: one round has no interval. */
function isFew(scenarios) {
  const counts = scenarios.flatMap(({ rows }) =>
    rows.filter(({ id }) => id === BARE).map(({ samples }) => samples.length),
  );
  return counts.length === 0 || Math.min(...counts) < FEWEST_ROUNDS;
}

/** A figure within the noise may be below zero. */
export const shown = (slope, { words }) =>
  shownWith(slope, (mebibytes) => `${mebibytes < 0 ? '-' : ''}${words.bytes(Math.abs(mebibytes) * 2 ** 20)}`);

function sentenceFor(row, slope, tools) {
  if (slope === undefined) return [];
  return [`Each further thread of ${row} takes ${shown(slope, tools)} of resident memory`];
}

/** How the other two sizes grow, there and here. */
function sizes(scenarios, tools) {
  const idling = idlingOf(scenarios);
  const [{ rows }] = published.tables;
  const growth = (column) => ((rows.at(-1)[column] - rows[0][column]) / rows.at(-1)[0] / 1024) * 2 ** 20;
  return [
    ['virtualMiB', 'virtual memory', 1],
    ['sizeMiB', 'what ps calls SIZE', 3],
  ].flatMap(([metric, what, column]) => {
    const slope = tools.slope(idling, BARE, metric);
    if (slope === undefined) return [];
    const there = tools.words.bytes(growth(column));
    return [`Each further bare thread adds ${shown(slope, tools)} of ${what}; published: ${there}`];
  });
}
