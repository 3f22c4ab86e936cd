/** What the compiler must accept of a fleet, and what it must refuse. Compiled, never run. */
import { connect, FleetError, serve, type ServiceOptions } from '@threadwise/bullmq';
import { serveControl } from '@threadwise/control';
import { job } from '@threadwise/bullmq/worker';

const fleet = connect<typeof import('./tasks.js')>({ queue: 'work', connection: 'redis://127.0.0.1' });

const sum: Promise<number> = fleet.run('add', [1, 2], { retries: 3, priority: 5, key: 'k' });
const same: Promise<number> = fleet.tasks.add(1, 2);
const untypedFleet = connect({ queue: 'work', connection: {} });
const untyped: Promise<unknown> = untypedFleet.run('anything', [1]);

const pair = [1, 2] as const;
void fleet.run('add', pair);
void fleet.job('add', pair);
// @ts-expect-error no such task
void fleet.run('subtract', [1, 2]);
// @ts-expect-error a text is no number
void fleet.run('add', ['1', 2]);
// @ts-expect-error nothing moves to another machine
void fleet.run('add', [1, 2], { transfer: [] });
// @ts-expect-error a key has to be the same on another machine
void fleet.run('add', [1, 2], { key: {} });
// @ts-expect-error one id for all items
void fleet.map('add', [1], { jobId: 'a' });
// @ts-expect-error jobs wait in Redis
const pool: ServiceOptions['pool'] = { queue: { limit: 1 } };
void serve(new URL('tasks.js', import.meta.url), { queue: 'work', connection: {}, pool: { threads: 2 } });

/** A fleet fits the option `fleets` of a control server. */
const watched = serveControl([], { fleets: [fleet] });
// @ts-expect-error a name is no queue
void serveControl([], { fleets: [{ queue: 'work', stats: () => fleet.stats() }] });

// an option that is undefined is not given
const none = undefined;
const place = { queue: 'work', connection: {}, prefix: none, encoding: none, maxBytes: none, module: none };
connect({ ...place, keepMs: none, connectTimeoutMs: none });
const calls = {
  signal: none,
  timeoutMs: none,
  retries: none,
  backoff: none,
  priority: none,
  key: none,
  delayMs: none,
};
const seen = { onProgress: none, job: none };
void untypedFleet.run('anything', [], { ...calls, ...seen, jobId: none, deduplication: none });
untypedFleet.map('anything', [], { ...calls, ...seen, concurrency: none, ordered: none });
void serveControl([], {
  ...{ host: none, port: none, token: none, allowedHosts: none, historyMs: none, fleets: none },
});

const id: string | undefined = job.id;
const attempt: number = job.attempt;
const code: 'ERR_FLEET_CONNECTION' | string = new FleetError('ERR_FLEET_CONNECTION', 'away').code;

export { attempt, code, id, pool, same, sum, untyped, watched };
