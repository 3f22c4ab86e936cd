/** The report about a server. */
import { groups } from 'd3-array';
import { type Estimate, ratio } from '../../experiment/statistics.js';
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
import { codeFor, fileInCode, machineRows, pairsTable, tablesSection } from '../../report/model.js';
import type { Report, Section, Table, Tone } from '../../report/model.js';
import { measureServer } from './measure/measure.js';
import { failuresOf, processesOf } from './rules/figures.js';
import { findServer, type ServerFindings } from './rules/find.js';
import type { LaneSamples, SeriesName, ServerSubject } from './rules/samples.js';
import type { ServerAnswer } from './rules/verdict.js';

/** The verdict in two words, its tone, and the sentence before the recommended code. */
const ADVICE: Readonly<Record<ServerAnswer, readonly [badge: string, tone: Tone, before: string]>> = {
  leave: ['Leave it as it is', 'does not', 'Leave the app as it is.'],
  offload: ['Offload', 'pays', 'Where the app calls the function, give the call to a pool, and await it:'],
  cluster: [
    'Cluster it',
    'pays',
    'First move what the app keeps in memory elsewhere. Then start the app by a file that starts all its processes:',
  ],
  unknown: ['No verdict', 'unknown', 'As long as there is no verdict, change nothing.'],
};
const HAS_THE_ROUTE = 'The app already has a route that uses threads: let the other routes do the same.';

export function serverReport(findings: ServerFindings): Report {
  const { verdict, samples } = findings;
  const [badge, tone, usual] = ADVICE[verdict.answer];
  const isThere = verdict.answer === 'offload' && samples.subject.against.length > 0;
  const lanes = lanesOf(findings);
  const measured = lanes.length === 0 ? [] : TABLES.map((table) => tableOf(table, lanes));
  const tables = [...measured, circumstancesTable(findings)].filter((table) => table !== undefined);
  return {
    findings,
    command: 'threadwise analyze server',
    subject: samples.subject.module,
    tone,
    badge,
    recommended: { before: isThere ? HAS_THE_ROUTE : usual, code: () => recommendedCode(findings) },
    figures: tables,
    sections: () => [
      ...BARS.map((bars) => barsSection(bars, lanes)),
      ...tables.map((table, i) => tablesSection(`table-${i}`, table.title, table)),
    ],
  };
}

type NamedLane = ReturnType<typeof lanesOf>[number];

/** The lanes that were measured, the app as it is first. Each has a name, and a short one for charts. */
function lanesOf({ samples, gains }: ServerFindings) {
  const { asIs, control, offloaded, cluster, subject } = samples;
  const { threads, processes, against } = subject;
  const named = (short: string, lane: LaneSamples | undefined, requests?: Estimate, name = short) =>
    lane === undefined || lane.rate.length === 0 ? [] : [{ name, short, lane, requests }];
  const offload = against.length > 0 ? against.join(', ') : `offloaded, ${counted(threads, 'thread')}`;
  return [
    ...named('as it is', asIs, ratio(asIs.rate, asIs.rate)),
    ...named('as it is, again', control, ratio(control.rate, asIs.rate)),
    ...named('offloaded', offloaded, gains.offloaded?.requests, offload),
    ...named('cluster', cluster, gains.cluster?.requests, `cluster, ${processesOf(processes)}`),
  ];
}

/** A section of the page with one chart: its id and title, the title of the chart, and what it shows of each way. */
type Bars = readonly [id: string, title: string, name: string, series: SeriesName, format: Format];

const BARS: readonly Bars[] = [
  ['rates', 'Requests a second', 'Requests a second', 'rate', rate],
  ['late', 'The slowest answers', 'One of a hundred takes longer', 'p99Ms', duration],
  ['loop', 'How long the event loop is held up', 'Event loop delay, p99', 'loopDelayMs', duration],
  ['memory', 'Memory', 'Resident memory of all processes', 'residentBytes', bytes],
];

function barsSection([id, title, name, series, format]: Bars, lanes: readonly NamedLane[]): Section {
  const bars = lanes.map(({ short, lane }) => ({
    name: short,
    figure: figureOf(lane[series]),
    isInline: short.startsWith('as it is'),
  }));
  return { id, title, blocks: [barsChart(`chart-${id}`, name, bars, format)] };
}

type Columns = readonly [title: string, Readonly<Record<string, (lane: NamedLane) => string>>];

const medianOf =
  (series: SeriesName, format: Format) =>
  ({ lane }: NamedLane): string =>
    middle(figureOf(lane[series]), format);

const inCores: Format = (share) => share.toFixed(2);

const TABLES: readonly Columns[] = [
  [
    'Requests',
    {
      'requests/s': medianOf('rate', rate),
      '95 % interval': ({ lane }) => range(figureOf(lane.rate), rate),
      'x as it is': ({ requests }) => middle(requests, factor),
      p50: medianOf('p50Ms', duration),
      p95: medianOf('p95Ms', duration),
      p99: medianOf('p99Ms', duration),
      errors: ({ lane }) => count(failuresOf(lane.errors)),
    },
  ],
  [
    'What it takes',
    {
      'loop delay p99': medianOf('loopDelayMs', duration),
      'loop busy': medianOf('loopShare', perCent),
      cores: medianOf('cpuShare', inCores),
      'load cores': medianOf('loadShare', inCores),
      'load loop': medianOf('loadLoopShare', perCent),
      others: medianOf('otherShare', inCores),
      memory: medianOf('residentBytes', bytes),
    },
  ],
];

function tableOf([title, columns]: Columns, lanes: readonly NamedLane[]): Table {
  const rows = lanes.map((lane) => [lane.name, ...Object.values(columns).map((cell) => cell(lane))]);
  return { title, head: ['how it was run', ...Object.keys(columns)], rows };
}

const FORMS = {
  listener: 'a request listener',
  server: 'a server',
  listens: 'it listens by itself',
} as const;

/** The table of what was measured, on which machine, and how well. */
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
    ['repeated runs of the same, requests', noise(findings.noise.requests)],
    ['repeated runs of the same, p99', noise(findings.noise.p99)],
    ['p99, as it is', withRange(figureOf(asIs.p99Ms), duration)],
  ]);
}

const PLAIN_EXPORT = /^[\p{ID_Start}_$][\p{ID_Continue}$]{0,59}$/u;

/** Empty if no code is recommended. */
function recommendedCode({ verdict: { answer }, samples: { subject } }: ServerFindings): string[] {
  if (answer === 'cluster') return clusterCode(subject);
  return answer === 'offload' ? poolCode(subject) : [];
}

function clusterCode({ module, form, processes, isCommonJs }: ServerSubject): string[] {
  const { imported, loaded } = codeFor(isCommonJs);
  const file = fileInCode(module, 'app.js');
  // Not to be run as it is: a worker that started nothing would end, and be replaced, without an end.
  const listens = form === 'listener' ? 'http.createServer(app).listen(…);' : 'app.listen(…);';
  const starts =
    form === 'listens' ? loaded(file) : `${listens} // as it is started now; app: what ${file} exports`;
  return [
    imported('cluster', 'node:cluster'),
    '',
    'if (cluster.isPrimary) {',
    `  for (let i = 0; i < ${processes}; i++) cluster.fork();`,
    "  cluster.on('exit', () => cluster.fork());",
    '} else {',
    `  ${starts}`,
    '}',
  ];
}

/** A pool for each module, as it was measured. */
function poolCode({ offload, threads, isCommonJs }: ServerSubject): string[] {
  const { imported, placeOf } = codeFor(isCommonJs);
  const modules = groups(offload, (each) => each.slice(0, each.lastIndexOf('#')));
  const code = modules.flatMap(([module, given], i) => {
    const pool = modules.length === 1 ? 'pool' : `pool${i + 1}`;
    const names = given.flatMap((each) => each.slice(module.length + 1).split(','));
    const tasks = names.map((name) => (PLAIN_EXPORT.test(name.trim()) ? name.trim() : 'task'));
    return [
      '',
      `const ${pool} = createPool(${placeOf(fileInCode(module, 'tasks.js'))}, { threads: ${threads} });`,
      ...[...new Set(tasks)].flatMap((task) => [
        `// in place of ${task}(…)`,
        `await ${pool}.run('${task}', […]);`,
      ]),
    ];
  });
  return code.length === 0 ? [] : [imported('{ createPool }', 'threadwise'), ...code];
}

export const server = { measure: measureServer, analyze: findServer, report: serverReport };
