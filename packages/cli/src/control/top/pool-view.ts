/**
 * What is shown of a pool, read out of what its program sent. The program may have another version than this
 * command: what is missing is undefined and shown as '-', and what is new is passed over.
 */

import { isRecord, type Overview, type PoolJson } from '../client.js';
import { safeText } from '../text.js';

type Figure = number | undefined;

export interface Timing {
  readonly p50: Figure;
  readonly p99: Figure;
}

export interface WorkerView {
  readonly id: Figure;
  readonly state: string;
  readonly inline: boolean;
  readonly load: Figure;
  readonly completed: Figure;
  readonly utilization: Figure;
  readonly heapUsedBytes: Figure;
  readonly ageMs: Figure;
  readonly run: Timing;
  readonly wait: Timing;
  /** CPU time of its thread, and how long it waited for a free core. */
  readonly cpuMs: Figure;
  readonly cpuWaitMs: Figure;
}

export interface FunctionView {
  readonly name: string;
  readonly place: string;
  readonly why: string;
  readonly calls: Figure;
  readonly inline: Figure;
  readonly runMs: Figure;
}

export interface DecisionView {
  readonly at: Figure;
  readonly by: string;
  readonly from: Figure;
  readonly to: Figure;
  readonly why: string;
  readonly queued: Figure;
  readonly idle: Figure;
}

/** Texts are safe to show; `name` is not: it is what requests are made with. */
export interface PoolView {
  readonly name: string;
  readonly label: string;
  readonly state: string;
  readonly dispatch: string;
  readonly placement: string;
  readonly choose: string;
  readonly threads: { readonly min: Figure; readonly max: Figure; readonly current: Figure };
  readonly queue: {
    readonly size: Figure;
    readonly limit: number | null | undefined;
    readonly oldestMs: Figure;
  };
  /** How many calls ended in which way, and how many are open. */
  readonly tasks: Readonly<Record<string, Figure>>;
  readonly throughput: Figure;
  readonly run: Timing;
  readonly wait: Timing;
  readonly crashes: Figure;
  readonly recycled: Figure;
  readonly coordinatorUtilization: Figure;
  readonly policy: string;
  /** The latest first. */
  readonly decisions: readonly DecisionView[];
  readonly loopUtilization: Figure;
  readonly residentBytes: Figure;
  readonly functions: readonly FunctionView[];
  readonly workers: readonly WorkerView[];
}

export interface ProcessView {
  readonly pid: Figure;
  readonly node: string;
  readonly title: string;
  readonly uptimeMs: Figure;
}

export interface Snapshot {
  readonly process: ProcessView;
  readonly pools: readonly PoolView[];
  /** When it came: milliseconds since the epoch, on this machine. */
  readonly at: number;
}

export function snapshotOf({ process, pools }: Overview, at: number): Snapshot {
  const { pid, node, title, uptimeMs } = process;
  return {
    process: { pid: figure(pid), node: text(node), title: text(title), uptimeMs: figure(uptimeMs) },
    pools: pools.map(poolView),
    at,
  };
}

export function poolView(json: PoolJson): PoolView {
  const threads = record(json.threads);
  const queue = record(json.queue);
  const sizing = record(json.sizing);
  const process = record(json.process);
  return {
    name: json.name,
    label: safeText(json.name),
    state: text(json.state),
    dispatch: text(json.dispatch),
    placement: text(json.placement),
    choose: text(json.choose),
    threads: { min: figure(threads.min), max: figure(threads.max), current: figure(threads.current) },
    queue: {
      size: figure(queue.size),
      limit: queue.limit === null ? null : figure(queue.limit),
      oldestMs: figure(queue.oldestMs),
    },
    tasks: Object.fromEntries(
      Object.entries(record(json.tasks)).map(([name, value]) => [name, figure(value)]),
    ),
    throughput: figure(json.throughput),
    run: timing(json.runMs),
    wait: timing(json.waitMs),
    crashes: figure(json.crashes),
    recycled: figure(json.recycled),
    coordinatorUtilization: figure(record(json.coordinator).utilization),
    policy: text(sizing.policy),
    decisions: records(sizing.decisions).map(decisionView).reverse(),
    loopUtilization: figure(process.utilization),
    residentBytes: figure(process.residentBytes),
    functions: records(json.functions).map(functionView),
    workers: records(json.workers).map(workerView),
  };
}

function workerView(json: Record<string, unknown>): WorkerView {
  const cpu = record(json.cpu);
  return {
    id: figure(json.id),
    state: text(json.state),
    inline: json.inline === true,
    load: figure(json.load),
    completed: figure(json.completed),
    utilization: figure(json.utilization),
    heapUsedBytes: figure(json.heapUsedBytes),
    ageMs: figure(json.ageMs),
    run: timing(json.runMs),
    wait: timing(json.waitMs),
    cpuMs: figure(cpu.usedMs),
    cpuWaitMs: figure(cpu.waitedMs),
  };
}

function functionView(json: Record<string, unknown>): FunctionView {
  return {
    name: text(json.name),
    place: text(json.place),
    why: text(json.why),
    calls: figure(json.calls),
    inline: figure(json.inline),
    runMs: figure(json.runMs),
  };
}

function decisionView(json: Record<string, unknown>): DecisionView {
  return {
    at: figure(json.at),
    by: text(json.by),
    from: figure(json.from),
    to: figure(json.to),
    why: text(json.why),
    queued: figure(json.queued),
    idle: figure(json.idle),
  };
}

/** Quantiles of nothing are not zero: they are not known. */
function timing(value: unknown): Timing {
  const { count, p50, p99 } = record(value);
  return count === 0 ? { p50: undefined, p99: undefined } : { p50: figure(p50), p99: figure(p99) };
}

function figure(value: unknown): Figure {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' && value !== '' ? safeText(value) : '-';
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
