/** What was found of a function, as a report: its parts in the order in which they are read; what was not measured has none. */
import { type Estimate, real, type Series } from '../../../experiment/statistics.js';
import {
  bytes,
  counted,
  duration,
  factor,
  figureOf,
  middle,
  NONE,
  noise,
  perCent,
  range,
  rate,
  shown,
  withRange,
} from '../../../format/figures.js';
import { type Bar, barsChart } from '../../../report/html/bars.js';
import type { Chart } from '../../../report/html/chart.js';
import type { Block, Report, Section, Table, Tone } from '../../../report/model.js';
import type { Answer, Findings } from '../rules/findings.js';
import { gainCurve, rateCurve } from './curves.js';
import { cheapestOf, explanation, SHORT } from './explanation.js';
import { beforeCode, recommendedCode } from './recommended-code.js';
import * as tables from './tables.js';
import { plotLines } from './terminal-plot.js';

const TONES: Readonly<Record<Answer, Tone>> = {
  threads: 'pays',
  inline: 'does not',
  async: 'does not',
  unknown: 'unknown',
};

export function functionReport(findings: Findings): Report {
  const { verdict, reasons, warnings, schemaVersion, alternatives } = findings;
  return {
    command: 'threadwise analyze',
    subject: tables.subjectName(findings),
    schemaVersion,
    sentence: verdict.sentence,
    tone: TONES[verdict.answer],
    badge: SHORT[verdict.answer],
    keys: keyFigures(findings),
    reasons,
    warnings,
    meaning: explanation(findings),
    recommended: {
      before: beforeCode(findings),
      code: (columns) => recommendedCode(findings, columns),
      others: alternatives.map(({ sentence, changesVerdict }) =>
        changesVerdict ? `${sentence}. That changes the verdict` : sentence,
      ),
    },
    figures: [
      { table: tables.ratesTable(findings), plot: (columns) => plotLines(findings, columns) },
      { table: tables.breakEvenTable(findings) },
      { table: tables.crossingsTable(findings) },
      { table: tables.spinsTable(findings), isForMarkdown: true },
      { table: tables.coresTable(findings) },
      { table: tables.runTimesTable(findings) },
      { table: tables.sizesTable(findings) },
      { table: tables.bySizeTable(findings) },
      { table: tables.circumstancesTable(findings) },
    ],
    sections: () => sections(findings),
  };
}

function keyFigures({
  verdict,
  gain,
  breakEven,
  noise: share,
  samples,
}: Findings): NonNullable<Report['keys']> {
  const { crossings, inline } = samples;
  // What waits may well be faster in threads than one call at a time, and threads do not pay for it.
  const [against, from] = verdict.answer === 'async' ? [] : [gain, breakEven.runMs];
  const keys: NonNullable<Report['keys']> = [
    ['threads against inline', middle(against, factor), range(against, factor)],
    ['a call takes', shown(inline.callMs?.p50, duration), 'median'],
    ['a crossing costs', shown(cheapestOf(crossings), duration), 'CPU time'],
    ['threads pay from', middle(from, duration), 'running time of a call'],
    ['noise', noise(share), 'repeated runs of the same'],
  ];
  return keys.filter(([, value]) => value !== NONE);
}

function sections(findings: Findings): Section[] {
  const matrix = tables.coreMatrix(findings);
  return [
    { id: 'rates', title: 'How many calls a second, by threads', blocks: rates(findings) },
    {
      id: 'even',
      title: 'From where on threads pay',
      blocks: [table(tables.breakEvenTable(findings)), chart(gainCurve(findings))],
    },
    {
      id: 'cores',
      title: 'Cores and threads',
      isWide: matrix.threads.length > COLUMNS_OF_HALF,
      blocks: matrix.cores.length === 0 ? [] : [ABOUT_CORES, heatOf(matrix)],
    },
    { id: 'loop', title: 'How long the event loop is held up', blocks: loop(findings) },
    { id: 'memory', title: 'Memory', blocks: memory(findings) },
    { id: 'call', title: 'One call', blocks: oneCall(findings) },
    { id: 'crossing', title: 'The crossing', blocks: crossing(findings) },
    { id: 'limits', title: 'What keeps more threads from doing more', blocks: limits(findings) },
    {
      id: 'measured',
      title: 'How it was measured',
      isWide: true,
      blocks: [table(tables.circumstancesTable(findings))],
    },
  ];
}

const chart = (made: Chart | undefined): Block | undefined => made && { chart: made };
const table = (made: Table | undefined): Block | undefined => made && { table: made };

function rates(findings: Findings): (Block | undefined)[] {
  const { gain } = findings;
  const drawn = rateCurve(findings);
  if (drawn === undefined) return [table(tables.ratesTable(findings))];
  return [
    real(gain) && `With the best number of threads: ${withRange(gain, factor)} as many calls as inline.`,
    beyondKnee(findings),
    { chart: drawn },
  ];
}

/** What those threads brought that were tried beyond the knee; undefined: none were. */
function beyondKnee({ knee, samples: { threads } }: Findings): string | undefined {
  if (knee === undefined) return undefined;
  const rates = (of: (n: number) => boolean): number[] =>
    threads.filter((each) => of(each.threads)).flatMap((each) => figureOf(each.rate)?.value ?? []);
  const [own = 0] = rates((n) => n === knee.threads);
  const more = Math.max(...rates((n) => n > knee.threads)) / own - 1;
  if (!Number.isFinite(more)) return undefined;
  const brought = more > 0 ? `brought at most ${perCent(more)} more` : 'brought no more';
  return `More than ${tables.threadsOf(knee.threads)} ${brought}.`;
}

const ABOUT_CORES =
  'The same calls, with the program bound to fewer cores. ' +
  'Small: the 95 % interval, where there is one. The stronger the colour, the more calls.';
/** As many columns as half of the page has room for. */
const COLUMNS_OF_HALF = 3;

function heatOf({ cores, threads, cell }: tables.CoreMatrix): Block {
  return {
    heat: {
      title: 'Calls a second by cores and threads',
      head: ['may use', ...threads.map(tables.threadsOf)],
      rows: cores.map((n) => ({ name: counted(n, 'core'), cells: threads.map((m) => cell(n, m)) })),
      format: rate,
    },
  };
}

function loop({ samples: { inline, threads } }: Findings): (Block | undefined)[] {
  const alone = figureOf(inline.loopDelayMs);
  const pools = byThreads(threads, (each) => each.loopDelayMs);
  const bars = [inlineBar(alone), ...pools];
  const drawn = barsChart('delay', 'Delay of a timer, 99th percentile', bars, duration);
  if (drawn === undefined) return [];
  const isShorter = pools.some(({ figure }) => figure !== undefined);
  const areShorter = pools.every(({ figure }) => !figure || (alone && figure.high < alone.low));
  const rest = isShorter && areShorter ? ' With threads it waited for less long.' : '';
  return [
    `While a function computes inline, a timer, a request, or a click has to wait.${rest}`,
    { chart: drawn },
  ];
}

function inlineBar(figure: Estimate | undefined): Bar {
  return { name: 'inline', figure, isInline: true };
}

type Pools = Findings['samples']['threads'];

function byThreads(samples: Pools, read: (each: Pools[number]) => Series): Bar[] {
  return tables
    .byThreads(samples)
    .map((each) => ({ name: tables.threadsOf(each.threads), figure: figureOf(read(each)) }));
}

function memory({ samples: { inline, threads, start } }: Findings): (Block | undefined)[] {
  const { residentBytes } = inline;
  const alone = residentBytes === undefined ? undefined : figureOf([residentBytes]);
  const bars = [inlineBar(alone), ...byThreads(threads, (each) => each.residentBytes)];
  const each = figureOf(start?.bytesPerThread);
  return [
    each && `One more thread takes ${withRange(each, bytes)}.`,
    chart(barsChart('resident', 'Resident memory of the program', bars, bytes)),
  ];
}

function oneCall(findings: Findings): (Block | undefined)[] {
  const { callMs, coldMs } = findings.samples.inline;
  const exactly = (value: number | undefined): Estimate | undefined =>
    value === undefined ? undefined : { value, low: value, high: value };
  const bars: Bar[] = [
    { name: 'median (p50)', figure: exactly(callMs?.p50) },
    { name: 'p90', figure: exactly(callMs?.p90) },
    { name: 'p99', figure: exactly(callMs?.p99) },
    { name: 'longest', figure: exactly(callMs?.max) },
    { name: 'the first, cold', figure: exactly(coldMs) },
  ];
  const drawn = barsChart('times', 'Running time, inline', bars, duration);
  return [
    chart(drawn && { ...drawn, table: tables.runTimesTable(findings) }),
    table(tables.sizesTable(findings)),
    table(tables.bySizeTable(findings)),
  ];
}

function crossing(findings: Findings): (Block | undefined)[] {
  const made = tables.crossingsTable(findings);
  const lead = 'What a call costs that does nothing, with values as large as those of the function:';
  return made === undefined ? [] : [lead, { table: made }];
}

function limits({ limits: found, amdahl }: Findings): (Block | undefined)[] {
  const serial = real(amdahl?.serialShare);
  const error = shown(amdahl?.error, (value) => value.toFixed(3));
  const fit =
    error === NONE
      ? `By Amdahl's law ${withRange(serial, perCent)} of the work would not run in parallel. One thread was compared with ` +
        'one other number only, which any share fits: whether it is that, nobody knows.'
      : `Amdahl's law, fitted to the rates: ${withRange(serial, perCent)} of the work does not run in parallel. ` +
        `The fit is off by ${error} (RMS; less than 0.05 is good).`;
  return [{ list: found.map(({ name, why }) => `${name.replaceAll('-', ' ')}: ${why}`) }, serial && fit];
}
