/** What was measured of a server, as tables of text that every view draws in its own way. */
import type { Estimate } from '../../function/rules/findings.js';
import { ratio } from '../../../experiment/intervals.js';
import type { Series } from '../../function/rules/samples.js';
import { bytes, counted, duration, perCent } from '../../../format/words.js';
import {
  count,
  factor,
  figureOf,
  middle,
  NONE,
  noise,
  range,
  rate,
  shown,
  withRange,
} from '../../../format/figures.js';
import type { Table } from '../../function/report/tables.js';
import type { ServerFindings } from '../findings/findings.js';
import type { LaneSamples } from '../findings/samples.js';
import { processesOf } from '../findings/verdict.js';

export interface NamedLane {
  readonly name: string;
  /** Where there is little room. */
  readonly short: string;
  readonly lane: LaneSamples;
  readonly requests: Estimate | undefined;
  readonly isAsIs: boolean;
}

/** Those that were measured, the app as it is first. */
export function lanesOf({ samples, gains }: ServerFindings): NamedLane[] {
  const { asIs, control, subject } = samples;
  const { threads, processes, against } = subject;
  const offloaded = against.length > 0 ? against.join(', ') : `offloaded, ${counted(threads, 'thread')}`;
  const all = [
    { name: 'as it is', short: 'as it is', lane: asIs, requests: ratio(asIs.rate, asIs.rate), isAsIs: true },
    {
      name: 'as it is, again',
      short: 'as it is, again',
      lane: control,
      requests: ratio(control.rate, asIs.rate),
      isAsIs: true,
    },
    {
      name: offloaded,
      short: 'offloaded',
      lane: samples.offloaded,
      requests: gains.offloaded?.requests,
      isAsIs: false,
    },
    {
      name: `cluster, ${processesOf(processes)}`,
      short: 'cluster',
      lane: samples.cluster,
      requests: gains.cluster?.requests,
      isAsIs: false,
    },
  ];
  return all.filter((each): each is NamedLane => each.lane !== undefined && each.lane.rate.length > 0);
}

/** Requests, and how long they took. */
export function requestsTable(findings: ServerFindings): Table {
  return {
    title: 'Requests',
    head: ['how it was run', 'requests/s', '95 % interval', 'x as it is', 'p50', 'p95', 'p99', 'errors'],
    rows: lanesOf(findings).map(({ name, lane, requests }) => [
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
export function costsTable(findings: ServerFindings): Table {
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
    rows: lanesOf(findings).map(({ name, lane }) => [
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
export function circumstancesTable(findings: ServerFindings): Table {
  const { samples } = findings;
  const { subject, machine, asIs } = samples;
  const { used, asked } = subject.connections;
  const rows = [
    ['app', subject.module],
    ['which is', subject.form === undefined ? NONE : FORMS[subject.form]],
    ['routes', subject.routes.join(', ')],
    ['against', subject.against.join(', ') || NONE],
    ['offloaded', subject.offload.join(', ') || NONE],
    ['connections', used === asked ? count(used) : `${count(used)} of ${count(asked)}`],
    ['NODE_ENV', subject.environment ?? 'not set'],
    ['processor', machine.cpu],
    ['cores', count(machine.cores)],
    ['memory', shown(machine.memoryBytes, bytes)],
    ['Node.js', `${machine.node}, ${machine.platform}`],
    ['load before', shown(machine.loadBefore, (load) => `${load.toFixed(1)} programs wanted a core`)],
    ['rounds', asIs.rate.length === 0 ? NONE : count(asIs.rate.length)],
    ['the same run again, requests', noise(findings.noise.requests)],
    ['the same run again, p99', noise(findings.noise.p99)],
    ['p99, as it is', withRange(figureOf(asIs.p99Ms), duration)],
  ];
  return {
    title: 'How it was measured',
    head: ['what', 'value'],
    rows: rows.filter(([, value]) => value !== NONE),
  };
}

/** All, in the order in which they are read. */
export function tablesOf(findings: ServerFindings): Table[] {
  const measured = lanesOf(findings).length > 0 ? [requestsTable(findings), costsTable(findings)] : [];
  return [...measured, circumstancesTable(findings)];
}
