/** The metrics in Prometheus's text format, made at each request. Each pool and each fleet is read once. */
import type { ControllablePool } from '../controllable-pool.js';
import { type Directory, statsOf } from '../directory.js';
import type { Fleets } from '../fleets.js';
import type { EventStreams } from '../streams/event-streams.js';
import { type Families, gauge, type Labels, withLabels } from './family.js';
import { FLEET_FAMILIES } from './fleet-families.js';
import { POOL_FAMILIES } from './pool-families.js';

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Streams = Pick<EventStreams, 'open'>;

const PROCESS_FAMILIES: Families<Streams> = {
  threadwise_process_resident_bytes: gauge(
    'Memory of the whole process, all its threads together',
    residentBytes,
  ),
  threadwise_control_event_streams: gauge(
    'Clients that follow a pool by way of the control server',
    ({ open }) => open,
  ),
};

/** Undefined where the system does not tell: the process may have no file descriptor left, and then the other metrics are wanted most. */
function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

export async function exposition(
  directory: Directory<ControllablePool>,
  fleets: Fleets,
  streams: Streams,
): Promise<string> {
  const readings = await fleets.readAll();
  const pools = directory.list().map(statsOf); // read at one moment
  return [
    ...exposed(POOL_FAMILIES, pools, ({ name }) => ({ pool: name })),
    ...exposed(FLEET_FAMILIES, readings, ({ name }) => ({ fleet: name })),
    ...exposed(PROCESS_FAMILIES, [streams], () => ({})),
  ].join('\n');
}

/** The text of each metric. */
function exposed<T>(families: Families<T>, all: readonly T[], labelsOf: (each: T) => Labels): string[] {
  return Object.entries(families).map(([name, { help, type, read }]) => {
    const lines = all
      .flatMap((each) => withLabels(labelsOf(each), read(each)))
      .filter(({ value }) => value != null)
      .map(({ labels, value, suffix = '' }) => `${name}${suffix}${textOf(labels)} ${value}\n`);
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
  });
}

function textOf(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** Prometheus takes NUL for the end of the text, and would refuse the whole scrape. */
function escaped(text: string): string {
  return text.replaceAll('\0', '\ufffd').replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
}
