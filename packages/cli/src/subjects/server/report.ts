/** What was found of a server, as a report. */
import { type Estimate, ratio, type Series } from '../../experiment/statistics.js';
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
  withRange,
} from '../../format/figures.js';
import { barsChart } from '../../report/html/bars.js';
import { measureAndReport } from '../../report/measure-and-report.js';
import {
  fileInCode,
  machineRows,
  pairsTable,
  type Report,
  reportOf,
  type Section,
  type Table,
  type Tone,
} from '../../report/model.js';
import type { Reporting } from '../subject.js';
import { measureServer, type ServerPlan } from './measure/measure.js';
import { findServer, type ServerAnswer, type ServerFindings } from './rules/find.js';
import type { LaneSamples, ServerSubject } from './rules/samples.js';
import { processesOf } from './rules/verdict.js';

const SHORT: Readonly<Record<ServerAnswer, readonly [badge: string, tone: Tone]>> = {
  leave: ['Leave it as it is', 'does not'],
  offload: ['Offload', 'pays'],
  cluster: ['Cluster it', 'pays'],
  unknown: ['No verdict', 'unknown'],
};

export function serverReport(findings: ServerFindings): Report {
  const { verdict, samples } = findings;
  const [badge, tone] = SHORT[verdict.answer];
  const lanes = lanesOf(findings);
  const measured = lanes.length > 0 ? [requestsTable(lanes), costsTable(lanes)] : [];
  const tables = [...measured, circumstancesTable(findings)];
  return reportOf(findings, {
    command: 'threadwise analyze server',
    subject: samples.subject.module,
    tone,
    badge,
    recommended: { before: beforeCode(findings), code: () => recommendedCode(findings) },
    figures: tables.map((table) => ({ table })),
    sections: () => [
      ...BARS.map((bars) => barsSection(bars, lanes)),
      ...tables.flatMap((table, i) =>
        table === undefined
          ? []
          : { id: `table-${i}`, title: table.title, isWide: true, blocks: [{ table }] },
      ),
    ],
  });
}

interface Bars {
  readonly id: string;
  readonly title: string;
  /** Of the chart. */
  readonly name: string;
  readonly seriesOf: (lane: LaneSamples) => Series;
  readonly format: Format;
}

const BARS: readonly Bars[] = [
  {
    id: 'rates',
    title: 'Requests a second',
    name: 'Requests a second',
    seriesOf: (lane) => lane.rate,
    format: rate,
  },
  {
    id: 'late',
    title: 'The slowest answers',
    name: 'One of a hundred takes longer',
    seriesOf: (lane) => lane.p99Ms,
    format: duration,
  },
  {
    id: 'loop',
    title: 'How long the event loop is held up',
    name: 'Event loop delay, p99',
    seriesOf: (lane) => lane.loopDelayMs,
    format: duration,
  },
  {
    id: 'memory',
    title: 'Memory',
    name: 'Resident memory of all processes',
    seriesOf: (lane) => lane.residentBytes,
    format: bytes,
  },
];

function barsSection({ id, title, name, seriesOf, format }: Bars, lanes: readonly NamedLane[]): Section {
  const bars = lanes.map(({ short, lane, isAsIs }) => ({
    name: short,
    figure: figureOf(seriesOf(lane)),
    isInline: isAsIs,
  }));
  const chart = barsChart(`chart-${id}`, name, bars, format);
  return { id, title, blocks: [chart && { chart }] };
}

interface NamedLane {
  readonly name: string;
  /** Where there is little room. */
  readonly short: string;
  readonly lane: LaneSamples;
  readonly requests: Estimate | undefined;
  readonly isAsIs: boolean;
}

/** Those that were measured, the app as it is first. */
function lanesOf({ samples, gains }: ServerFindings): NamedLane[] {
  const { asIs, control, subject } = samples;
  const { threads, processes, against } = subject;
  const offloaded = against.length > 0 ? against.join(', ') : `offloaded, ${counted(threads, 'thread')}`;
  const named = (
    name: string,
    short: string,
    lane: LaneSamples | undefined,
    requests: Estimate | undefined,
  ) =>
    lane === undefined || lane.rate.length === 0
      ? []
      : [{ name, short, lane, requests, isAsIs: short.startsWith('as it is') }];
  return [
    ...named('as it is', 'as it is', asIs, ratio(asIs.rate, asIs.rate)),
    ...named('as it is, again', 'as it is, again', control, ratio(control.rate, asIs.rate)),
    ...named(offloaded, 'offloaded', samples.offloaded, gains.offloaded?.requests),
    ...named(`cluster, ${processesOf(processes)}`, 'cluster', samples.cluster, gains.cluster?.requests),
  ];
}

/** Requests, and how long they took. */
function requestsTable(lanes: readonly NamedLane[]): Table {
  return {
    title: 'Requests',
    head: ['how it was run', 'requests/s', '95 % interval', 'x as it is', 'p50', 'p95', 'p99', 'errors'],
    rows: lanes.map(({ name, lane, requests }) => [
      name,
      middle(figureOf(lane.rate), rate),
      range(figureOf(lane.rate), rate),
      middle(requests, factor),
      ...[lane.p50Ms, lane.p95Ms, lane.p99Ms].map((series) => middle(figureOf(series), duration)),
      count(errorsOf(lane)),
    ]),
  };
}

function errorsOf({ errors: { bad, sockets, timeouts } }: LaneSamples): number {
  return bad + sockets + timeouts;
}

/** What it costs. */
function costsTable(lanes: readonly NamedLane[]): Table {
  return {
    title: 'What it takes',
    head: [
      'how it was run',
      'loop delay p99',
      'loop busy',
      'cores',
      'of load',
      'its loop',
      'of others',
      'memory',
    ],
    rows: lanes.map(({ name, lane }) => [
      name,
      middle(figureOf(lane.loopDelayMs), duration),
      middle(figureOf(lane.loopShare), perCent),
      cores(lane.cpuShare),
      cores(lane.loadShare),
      middle(figureOf(lane.loadLoopShare), perCent),
      cores(lane.otherShare),
      middle(figureOf(lane.residentBytes), bytes),
    ]),
  };
}

function cores(share: Series): string {
  return middle(figureOf(share), (value) => value.toFixed(2));
}

const FORMS = {
  listener: 'a request listener',
  server: 'a server',
  listens: 'it listens by itself',
} as const;

/** What was measured, on what, and how well. */
function circumstancesTable(findings: ServerFindings): Table | undefined {
  const { subject, machine, asIs } = findings.samples;
  const { used, asked } = subject.connections;
  return pairsTable('How it was measured', [
    ['app', subject.module],
    ['which is', subject.form === undefined ? NONE : FORMS[subject.form]],
    ['routes', subject.routes.join(', ')],
    ['against', subject.against.join(', ') || NONE],
    ['offloaded', subject.offload.join(', ') || NONE],
    ['connections', used === asked ? count(used) : `${count(used)} of ${count(asked)}`],
    ['NODE_ENV', subject.environment ?? 'not set'],
    ...machineRows(machine),
    ['rounds', asIs.rate.length === 0 ? NONE : count(asIs.rate.length)],
    ['the same run again, requests', noise(findings.noise.requests)],
    ['the same run again, p99', noise(findings.noise.p99)],
    ['p99, as it is', withRange(figureOf(asIs.p99Ms), duration)],
  ]);
}

const PLAIN_EXPORT = /^[A-Za-z_$][\w$]{0,39}$/;

/** What there is to say before the code. */
export function beforeCode({ verdict, samples }: ServerFindings): string {
  if (verdict.answer === 'offload' && samples.subject.against.length > 0) {
    return 'The app has the route that does it already: let the others do as it does.';
  }
  return BEFORE[verdict.answer];
}

const BEFORE: Readonly<Record<ServerAnswer, string>> = {
  leave: 'Leave the app as it is.',
  offload: 'Where the app calls the function, give the call to a pool, and await it:',
  cluster: 'Start it by a file that starts as many of it, once what it keeps in memory is kept elsewhere:',
  unknown: 'As long as it cannot be told, change nothing.',
};

/** Empty: there is none. */
export function recommendedCode({ verdict, samples }: ServerFindings): string[] {
  const { subject } = samples;
  if (verdict.answer === 'cluster') {
    return clusterCode(subject);
  }
  const [first] = subject.offload;
  return verdict.answer === 'offload' && first !== undefined ? poolCode(first, subject.threads) : [];
}

function clusterCode({ module, form, processes }: ServerSubject): string[] {
  const file = fileInCode(module, 'app.js');
  const starts =
    form === 'listens'
      ? `await import('./${file}');`
      : `// as it is started now: what ${file} exports, listening`;
  return [
    "import cluster from 'node:cluster';",
    '',
    'if (cluster.isPrimary) {',
    `  for (let i = 0; i < ${processes}; i++) cluster.fork();`,
    "  cluster.on('exit', () => cluster.fork());",
    '} else {',
    `  ${starts}`,
    '}',
  ];
}

function poolCode(offload: string, threads: number): string[] {
  const name = offload.slice(offload.lastIndexOf('#') + 1);
  const task = PLAIN_EXPORT.test(name) ? name : 'task';
  const file = fileInCode(offload, 'tasks.js');
  return [
    "import { createPool } from 'threadwise';",
    '',
    `const pool = createPool(new URL('./${file}', import.meta.url), { threads: ${threads} });`,
    `// in place of ${task}(…)`,
    `await pool.run('${task}', […]);`,
  ];
}

export function analyzeServer(plan: Omit<ServerPlan, 'signal'>, reporting: Reporting): Promise<number> {
  return measureAndReport(
    { measure: measureServer, analyze: findServer, report: serverReport },
    plan,
    reporting,
  );
}
