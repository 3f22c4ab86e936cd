/** What was measured of a function, as tables of text that every view draws in its own way; text of the user's is in them as it came. */
import { type Estimate, ratio } from '../../../experiment/statistics.js';
import {
  bytes,
  count,
  counted,
  duration,
  factor,
  figureOf,
  type Format,
  middle,
  noise,
  NONE,
  perCent,
  range,
  rate,
  shown,
  withRange,
} from '../../../format/figures.js';
import { machineRows, pairsTable, type Row, type Table, tableOf } from '../../../report/model.js';
import type { Findings } from '../rules/findings.js';
import type { PoolSamples, Samples, VariantSamples } from '../rules/samples.js';

export function byThreads<T extends { readonly threads: number }>(samples: readonly T[]): T[] {
  return samples.toSorted((a, b) => a.threads - b.threads);
}

/** Rates, and what they cost, by number of threads; the other ways of calling behind them. */
export function ratesTable({ samples }: Findings): Table | undefined {
  const { inline, threads, variants } = samples;
  const alone = { ...inline, residentBytes: [inline.residentBytes ?? Number.NaN] };
  return tableOf(
    'Rate by threads',
    ['threads', 'calls/s', '95 % interval', 'x inline', 'CPU per call', 'loop delay p99', 'memory'],
    [
      rowOf('none: inline', alone, undefined),
      ...byThreads(threads).map((each) => rowOf(count(each.threads), each, gainOf(each, inline))),
      ...variants.map((each) => rowOf(`${count(each.threads)}, ${wayOf(each)}`, each, gainOf(each, inline))),
    ],
  );
}

type Measured = Pick<PoolSamples, 'rate' | 'cpuMs' | 'loopDelayMs' | 'residentBytes'>;

function rowOf(name: string, measured: Measured, gain: Estimate | undefined): Row {
  const perSecond = figureOf(measured.rate);
  return [
    name,
    middle(perSecond, rate),
    range(perSecond, rate),
    middle(gain, factor),
    middle(figureOf(measured.cpuMs), duration),
    middle(figureOf(measured.loopDelayMs), duration),
    middle(figureOf(measured.residentBytes), bytes),
  ];
}

/** As it is given to the command. */
export function subjectName({ samples: { subject } }: Findings): string {
  return subject.module.includes('#') ? subject.module : `${subject.module}#${subject.export}`;
}

export function threadsOf(n: number): string {
  return counted(n, 'thread');
}

function gainOf({ rate: own }: PoolSamples, inline: Samples['inline']): Estimate | undefined {
  return ratio(own, inline.rate);
}

const WAYS: Readonly<Record<VariantSamples['name'], (variant: VariantSamples) => string>> = {
  auto: () => "placement 'auto'",
  batch: ({ size }) => (size === undefined ? 'inputs in batches' : `${counted(size, 'input')} a call`),
  lease: () => 'bytes in leases',
  read: ({ size }) => (size === undefined ? 'read by worker' : `worker reads ${count(size)}`),
};

export function wayOf(variant: VariantSamples): string {
  return WAYS[variant.name](variant);
}

/** From where on threads pay; empty where that is not known. */
export function breakEvenTable({ breakEven: { runMs, inputBytes, calls } }: Findings): Table | undefined {
  const rows: Row[] = [
    ['running time of a call', ...both(runMs, duration)],
    ['size of an input', ...both(inputBytes, bytes)],
    ['calls that make good the start of the threads', ...both(calls, count)],
  ];
  return tableOf(
    'Threads begin to pay at',
    ['by', 'from', '95 % interval'],
    rows.filter(([, from]) => from !== NONE),
  );
}

function both(figure: Estimate | undefined, format: Format): [string, string] {
  return [middle(figure, format), range(figure, format)];
}

export function crossingsTable({ samples }: Findings): Table | undefined {
  return tableOf(
    'What a crossing costs',
    ['transport', 'CPU per call', '95 % interval', 'one at a time'],
    samples.crossings.map(({ transport, cpuMs, loneMs }) => {
      const costs = figureOf(cpuMs);
      return [
        `'${transport}'`,
        middle(costs, duration),
        range(costs, duration),
        middle(figureOf(loneMs), duration),
      ];
    }),
  );
}

/** Where crossing begins to pay, by tasks that only compute. */
export function spinsTable({ samples }: Findings): Table | undefined {
  return tableOf(
    'Gain by running time',
    ['running time', 'x inline', '95 % interval', 'inline calls/s', 'pool calls/s'],
    samples.spins
      .toSorted((a, b) => a.runMs - b.runMs)
      .map(({ runMs, inline, pool }) => {
        const gain = ratio(pool, inline);
        return [
          shown(runMs, duration),
          ...both(gain, factor),
          middle(figureOf(inline), rate),
          middle(figureOf(pool), rate),
        ];
      }),
  );
}

/** Rates in calls per second: a row for each number of cores, a column for each number of threads. */
export function coresTable(findings: Findings): Table | undefined {
  const { cores, threads, cell } = coreMatrix(findings);
  return tableOf(
    'Calls/s by cores and threads',
    ['cores', ...threads.map((n) => counted(n, 'thread'))],
    cores.map((n) => [count(n), ...threads.map((m) => middle(cell(n, m), rate))]),
  );
}

export interface CoreMatrix {
  readonly cores: readonly number[];
  readonly threads: readonly number[];
  readonly cell: (cores: number, threads: number) => Estimate | undefined;
}

export function coreMatrix({ samples }: Findings): CoreMatrix {
  const distinct = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
  const found = samples.cores.flatMap(({ rate: series, ...at }) => {
    const figure = figureOf(series);
    return figure === undefined ? [] : [{ ...at, figure }];
  });
  return {
    cores: distinct(found.map(({ cores }) => cores)),
    threads: distinct(found.map(({ threads }) => threads)),
    cell: (cores, threads) => found.find((each) => each.cores === cores && each.threads === threads)?.figure,
  };
}

export function runTimesTable({ samples: { inline } }: Findings): Table | undefined {
  const { callMs, coldMs } = inline;
  const rows = [
    ['the first, cold', coldMs],
    ['mean', callMs?.mean],
    ['median (p50)', callMs?.p50],
    ['p90', callMs?.p90],
    ['p99', callMs?.p99],
    ['longest', callMs?.max],
  ] as const;
  return pairsTable(
    'Running time of a call, inline',
    rows.map(([name, ms]) => [name, shown(ms, duration)]),
    ['which', 'time'],
  );
}

export function sizesTable({ samples: { inline } }: Findings): Table | undefined {
  const rows = [
    ['arguments', inline.bytesIn],
    ['results', inline.bytesOut],
  ] as const;
  return tableOf(
    'Bytes that cross',
    ['what', 'median', 'p99', 'largest'],
    rows.flatMap(([name, spread]) =>
      spread === undefined
        ? []
        : [[name, ...[spread.p50, spread.p99, spread.max].map((n) => shown(n, bytes))]],
    ),
  );
}

export function bySizeTable({ samples: { inline } }: Findings): Table | undefined {
  return tableOf(
    'Running time by size of the input',
    ['size', 'time', '95 % interval'],
    inline.bySize.map((each) => [shown(each.bytes, bytes), ...both(figureOf(each.ms), duration)]),
  );
}

/** What was measured, on what, and how well. */
export function circumstancesTable(findings: Findings): Table | undefined {
  const { samples, amdahl } = findings;
  const { subject, machine, inline, start, control } = samples;
  const { used, count: all, how } = subject.inputs;
  // One thread against one other number of them: any share fits.
  const serial =
    amdahl?.error === undefined ? 'serial part, if it is that (two points)' : 'serial part (Amdahl)';
  return pairsTable('How it was measured', [
    ['function', subjectName(findings)],
    ['inputs', `${count(used)} of ${count(all)} were used${how === '' ? '' : `: ${how}`}`],
    ...machineRows(machine),
    ['cores that others had', shown(machine.othersShare, perCent)],
    ['rounds', inline.rate.length === 0 ? NONE : count(inline.rate.length)],
    ['the same run again', noise(findings.noise)],
    ['control runs, before', withRange(figureOf(control.before), rate)],
    ['control runs, after', withRange(figureOf(control.after), rate)],
    ['CPU per call, inline', withRange(figureOf(inline.cpuMs), duration)],
    ['garbage collection', middle(figureOf(inline.garbageShare), perCent)],
    ['a thread is ready after', withRange(figureOf(start?.readyMs), duration)],
    ['a thread takes', withRange(figureOf(start?.bytesPerThread), bytes)],
    [serial, withRange(amdahl?.serialShare, perCent)],
    ['error of that fit (RMS)', shown(amdahl?.error, (error) => error.toFixed(3))],
  ]);
}
