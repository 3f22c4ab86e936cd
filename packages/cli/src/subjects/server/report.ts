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
import {
  codeFor,
  fileInCode,
  machineRows,
  nameInCode,
  pairsTable,
  tablesSection,
} from '../../report/model.js';
import type { Report, Section, Table, Tone } from '../../report/model.js';
import { measureServer } from './measure/measure.js';
import { findServer, type ServerFindings } from './rules/find.js';
import type { LaneSamples, SeriesName, ServerSamples } from './rules/samples.js';
import { failuresOf, processesOf, type ServerAnswer } from './rules/verdict.js';

type Code = (subject: ServerSamples['subject']) => string[];
const NO_CODE: Code = () => [];

/** The verdict in two words, its tone, the sentence before the recommended code, and that code. */
const ADVICE: Readonly<Record<ServerAnswer, readonly [badge: string, tone: Tone, before: string, Code]>> = {
  leave: ['Leave it as it is', 'does not', 'Leave the app as it is.', NO_CODE],
  offload: [
    'Offload',
    'pays',
    'Where the app calls the function, give the call to a pool, and await it:',
    poolCode,
  ],
  cluster: [
    'Cluster it',
    'pays',
    'First move what the app keeps in memory elsewhere. Then start the app by a file that starts all its processes:',
    clusterCode,
  ],
  unknown: ['No verdict', 'unknown', 'As long as there is no verdict, change nothing.', NO_CODE],
};
const HAS_THE_ROUTE = 'The app already has a route that uses threads: let the other routes do the same.';

export function serverReport(findings: ServerFindings): Report {
  const { verdict, samples } = findings;
  const { subject } = samples;
  const [badge, tone, usual, code] = ADVICE[verdict.answer];
  const isThere = verdict.answer === 'offload' && subject.against.length > 0;
  const lanes = lanesOf(findings);
  const tables = [...tablesOf(lanes), circumstancesTable(findings)].filter((table) => table !== undefined);
  return {
    findings,
    command: 'threadwise analyze server',
    subject: subject.module,
    tone,
    badge,
    recommended: { before: isThere ? HAS_THE_ROUTE : usual, code: () => code(subject) },
    figures: tables,
    sections: () => [
      ...barsSections(lanes),
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

/** The sections of the page with one chart: the title of the chart, and what it shows of each way. */
function barsSections(lanes: readonly NamedLane[]): Section[] {
  const section = (id: string, title: string, name: string, series: SeriesName, format: Format): Section => {
    const bars = lanes.map(({ short, lane }) => {
      return { name: short, figure: figureOf(lane[series]), isInline: short.startsWith('as it is') };
    });
    return { id, title, blocks: [barsChart(`chart-${id}`, name, bars, format)] };
  };
  return [
    section('rates', 'Requests a second', 'Requests a second', 'rate', rate),
    section('late', 'The slowest answers', 'One of a hundred takes longer', 'p99Ms', duration),
    section('loop', 'How long the event loop is held up', 'Event loop delay, p99', 'loopDelayMs', duration),
    section('memory', 'Memory', 'Resident memory of all processes', 'residentBytes', bytes),
  ];
}

const inCores: Format = (share) => share.toFixed(2);

function tablesOf(lanes: readonly NamedLane[]): Table[] {
  if (lanes.length === 0) return [];
  const median = (series: SeriesName, format: Format) => (lane: NamedLane) =>
    middle(figureOf(lane.lane[series]), format);
  const table = (title: string, columns: Readonly<Record<string, (lane: NamedLane) => string>>) => {
    const rows = lanes.map((lane) => [lane.name, ...Object.values(columns).map((cell) => cell(lane))]);
    return { title, head: ['how it was run', ...Object.keys(columns)], rows };
  };
  return [
    table('Requests', {
      'requests/s': median('rate', rate),
      '95 % interval': ({ lane }) => range(figureOf(lane.rate), rate),
      'x as it is': ({ requests }) => middle(requests, factor),
      p50: median('p50Ms', duration),
      p95: median('p95Ms', duration),
      p99: median('p99Ms', duration),
      errors: ({ lane }) => count(failuresOf(lane.errors)),
    }),
    table('What it takes', {
      'loop delay p99': median('loopDelayMs', duration),
      'loop busy': median('loopShare', perCent),
      cores: median('cpuShare', inCores),
      'load cores': median('loadShare', inCores),
      'load loop': median('loadLoopShare', perCent),
      others: median('otherShare', inCores),
      memory: median('residentBytes', bytes),
    }),
  ];
}

const FORMS = { listener: 'a request listener', server: 'a server', listens: 'it listens by itself' };

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

function clusterCode({ module, form, processes, isCommonJs }: ServerSamples['subject']): string[] {
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
function poolCode({ offload, threads, isCommonJs }: ServerSamples['subject']): string[] {
  const { imported, placeOf } = codeFor(isCommonJs);
  const modules = groups(offload, (each) => each.slice(0, each.lastIndexOf('#')));
  const code = modules.flatMap(([module, given], i) => {
    const pool = modules.length === 1 ? 'pool' : `pool${i + 1}`;
    const names = given.flatMap((each) => each.slice(module.length + 1).split(','));
    const tasks = new Set(names.map((name) => nameInCode(name.trim())));
    return [
      '',
      `const ${pool} = createPool(${placeOf(fileInCode(module, 'tasks.js'))}, { threads: ${threads} });`,
      ...[...tasks].flatMap((task) => [`// in place of ${task}(…)`, `await ${pool}.run('${task}', […]);`]),
    ];
  });
  return code.length === 0 ? [] : [imported('{ createPool }', 'threadwise'), ...code];
}

export const server = { measure: measureServer, analyze: findServer, report: serverReport };
