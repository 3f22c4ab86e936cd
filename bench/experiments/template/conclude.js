// The conclusions of the experiment template.
import { claimOf, named, reaches } from '../../conclusions/finding.js';
import { published } from './published.js';
import { REPEATED, SINGLE } from './scenarios.js';

export const AS_PUBLISHED = 'as published, across';
export const OURS = 'threadwise, across';
export const AUTO = 'threadwise, auto';
export const RATE = 'requestsPerSecond';
export const DELAY = 'immediateUs';

const [, , { rows: gains }] = published.tables;

export function conclude(scenarios, tools) {
  const { fasterThan, breakEven } = tools;
  const [large, small] = [REPEATED, SINGLE].map((id) => named(scenarios, id));
  const compare = (scenario, what) => (row, other, metric) =>
    `${what}: ${fasterThan(scenario, row, other, metric).sentence}`;
  const [repeated, once] = [compare(large, 'A sentence 80 times'), compare(small, 'One sentence')];
  return [
    breakEven(scenarios, AS_PUBLISHED, 'inline', RATE, 'sentence').sentence,
    breakEven(scenarios, OURS, 'inline', RATE, 'sentence').sentence,
    repeated('threadwise, least-busy', AS_PUBLISHED, RATE),
    repeated(OURS, 'inline', RATE),
    repeated(OURS, 'inline', DELAY),
    repeated(AUTO, 'inline', RATE),
    repeated(AUTO, 'inline', DELAY),
    repeated(OURS, 'piscina (8 per worker), across', RATE),
    once(AUTO, 'inline', RATE),
    once(AUTO, AS_PUBLISHED, RATE),
  ];
}

/** Judges each claim of the chapter. */
export function judge(scenarios, { fasterThan, words }) {
  const [large, small] = [REPEATED, SINGLE].map((id) => named(scenarios, id));
  const [[, more], [, times]] = gains;
  const [rate, delay] = [RATE, DELAY].map((metric) => fasterThan(large, AS_PUBLISHED, 'inline', metric));
  const single = fasterThan(small, 'inline', AS_PUBLISHED, RATE);
  const [onMain, offloaded] = published.tables[0].rows.map(([, , us]) => us);
  const withIdle = words.times({ value: onMain / offloaded });
  return [
    claimOf('offloaded, more requests', rate),
    claimOf(`${more} % more`, rate, { holds: (found) => reaches(1 + more / 100, found) }),
    claimOf('a shorter delay of the event loop', delay),
    claimOf(`${times} times shorter without what it is when idle, ${withIdle} with that`, delay, {
      holds: (found) => reaches(onMain / offloaded, found),
    }),
    claimOf('with one sentence, the main thread wins', single),
  ];
}
