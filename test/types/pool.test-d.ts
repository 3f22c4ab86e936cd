/** What the compiler must accept, and what it must refuse. Compiled, never run. */
import type { ResourceLimits } from 'node:worker_threads';
import {
  type Bucket,
  type CpuTime,
  createPool,
  type ExitReason,
  type HelperView,
  isThreadwiseError,
  type Lease,
  leastBusy,
  type PoolEvents,
  type PoolStats,
  roundRobin,
  type SlotState,
  type StreamItem,
  type TaskArguments,
  type WorkerStats,
} from 'threadwise';
import { readFiles } from 'threadwise/files';
import type { HostFunctions } from 'threadwise/worker';
import { Barrier, Channel, Mutex } from 'threadwise/sync';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_proof: Same<A, B>): void {}

const url = new URL('./tasks.js', import.meta.url);
type Module = typeof import('./tasks.js');
const pool = createPool<Module>(url, {
  threads: { min: 1, max: 4 },
  choose: leastBusy,
  host: { log: (text: string) => text.length },
});
createPool(url, { choose: roundRobin() });
createPool(url, { choose: (_task, workers) => workers[0]! });
const functions: HostFunctions = { lookUp: async (id) => ({ name: id }) };
createPool(url, { host: { ...functions } });
createPool(url, { host: { lookUp: async (id) => ({ name: id }) } satisfies HostFunctions });
// @ts-expect-error: not what is declared
createPool(url, { host: { lookUp: (id: number) => id } satisfies HostFunctions });
createPool('./tasks.js', { threads: 'auto', worker: { data: 1, recycle: { afterTasks: 5 } } });
createPool(url, {
  isolation: 'process',
  worker: { cwd: '/tmp', resourceLimits: { maxOldGenerationSizeMb: 64 } },
});
const limits: ResourceLimits = { stackSizeMb: 2 };
createPool(url, { worker: { resourceLimits: limits } });
// @ts-expect-error: no such limit
createPool(url, { worker: { resourceLimits: { maxOldGenerationSizeMB: 64 } } });
createPool(url, { isolation: { processes: 4, threads: 2 } });
createPool(url, { isolation: { threads: 2 }, threads: 'auto' });
// @ts-expect-error: the number of threads is missing
createPool(url, { isolation: { processes: 4 } });
// @ts-expect-error: no such isolation
createPool(url, { isolation: 'fibre' });
class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}
createPool(url, {
  classes: [
    Money,
    URL,
    {
      class: Money,
      name: 'Cash',
      encode: (it: Money) => it.cents,
      decode: (cents: number) => new Money(cents),
    },
  ],
});
createPool(url, { classes: 'plain' });
// @ts-expect-error: an instance is no class
createPool(url, { classes: [new Money(1)] });
// @ts-expect-error: the class is missing
createPool(url, { classes: [{ encode: String, decode: String }] });
// @ts-expect-error: no such option
createPool(url, { thread: 4 });
// @ts-expect-error: a string is no number of threads
createPool(url, { threads: '4' });

// run
const sum = await pool.run('add', [1, 2]);
same<typeof sum, number>(true);
const text = await pool.run('greet', ['x']);
same<typeof text, string>(true);
await pool.run('greet', ['x', 'good day']);
const flag = await pool.run('default', [true]);
same<typeof flag, boolean>(true);
await pool.run('nothing', [], {
  signal: new AbortController().signal,
  timeoutMs: 5,
  onProgress: (value) => value,
});
const pair = [1, 2] as const;
await pool.run('add', pair);
const forward = <K extends 'add' | 'greet'>(name: K, args: TaskArguments<Module[K]>) => pool.run(name, args);
same<Awaited<ReturnType<typeof forward<'greet'>>>, string>(true);
// @ts-expect-error: no such task
await pool.run('subtract', [1, 2]);
// @ts-expect-error: not a function
await pool.run('label', []);
// @ts-expect-error: not a task
await pool.run('setup', []);
// @ts-expect-error: a wrong argument
await pool.run('add', [1, '2']);
// @ts-expect-error: a missing argument
await pool.run('add', [1]);
// @ts-expect-error: no arguments
await pool.run('add', []);
// @ts-expect-error: too many arguments
await pool.run('add', [1, 2, 3]);
// @ts-expect-error: no such option
await pool.run('add', [1, 2], { timeout: 5 });

// an option that is undefined is not given
const none = undefined;
createPool(url, {
  ...{ name: none, threads: none, transport: none, dispatch: none, placement: none, loopBudgetMs: none },
  ...{ isolation: none, choose: none, tasksPerWorker: none, queue: none, timeoutMs: none, retries: none },
  ...{ worker: none, idleTimeoutMs: none, onTaskStart: none, onTaskEnd: none, classes: none, host: none },
});
createPool(url, {
  threads: { min: none, max: none },
  queue: { limit: none },
  worker: {
    ...{ data: none, env: none, cwd: none, argv: none, execArgv: none, resourceLimits: none },
    ...{ recycle: { afterTasks: none, aboveMemoryMiB: none }, startTimeoutMs: none },
  },
  classes: [{ class: Money, name: none, encode: none, decode: none }],
});
createPool(url, { isolation: { processes: none, threads: 2 }, worker: { recycle: none } });
const ofCall = { signal: none, timeoutMs: none, priority: none, key: none, onProgress: none };
await pool.run('nothing', [], { ...ofCall, transfer: none, retries: none });
pool.map('greet', [], { ...ofCall, retries: none, concurrency: none, ordered: none });
pool.stream('nothing', [], { ...ofCall, transfer: none, highWaterMark: none });
pool.configure({ threads: none, placement: none, queue: { limit: none }, choose: none });
await new Channel({ capacity: none, maxBytes: none }).send(1, { timeoutMs: none });
await pool.close({ timeoutMs: none });
readFiles([], {
  ...{ syncBytes: none, loopBudgetMs: none, signal: none, concurrency: none, aheadBytes: none },
});
readFiles([], { onError: none });

// tasks
const typed = await pool.tasks.add(1, 2);
same<typeof typed, number>(true);
// @ts-expect-error: a wrong argument
await pool.tasks.hash('text');
// @ts-expect-error: not a task
pool.tasks.label;

// leases where bytes are wanted, and nowhere else
const lease: Lease = pool.lease(10);
await pool.run('hash', [lease]);
await pool.tasks.hash(lease);
await pool.tasks.hash(lease.bytes);
// @ts-expect-error: a lease is no number
await pool.run('add', [lease, 2]);

// map
for await (const digest of pool.map('hash', [new Uint8Array(1)], { concurrency: 2, ordered: false })) {
  same<typeof digest, string>(true);
}
async function* names() {
  yield 'a';
}
for await (const greeting of pool.map('greet', names())) same<typeof greeting, string>(true);
// @ts-expect-error: wrong items
pool.map('hash', [1, 2]);
// @ts-expect-error: what is transferred differs from item to item
pool.map('hash', [], { transfer: [] });

// stream
for await (const value of pool.stream('numbers', [3], { highWaterMark: 2 })) same<typeof value, number>(true);
for await (const value of pool.stream('words', [])) same<typeof value, string>(true);
for await (const value of pool.stream('letters', [])) same<typeof value, string>(true);
for await (const value of pool.stream('add', [1, 2])) same<typeof value, never>(true);
const three = [3] as const;
pool.stream('numbers', three);
// @ts-expect-error: wrong arguments
pool.stream('numbers', ['3']);
// @ts-expect-error: what was taken cannot be taken back
pool.stream('numbers', [3], { retries: 1 });

// broadcast
const all = await pool.broadcast('add', pair);
same<typeof all, number[]>(true);

// the rest
const stats: PoolStats = pool.stats();
same<typeof stats.runMs.p99, number>(true);
same<typeof stats.buckets.waitMs, readonly Bucket[]>(true);
// types that a compiler has to name in the declarations of a program: `export const cpu = () => pool.stats().workers[0]?.cpu`
same<WorkerStats['cpu'], CpuTime | null>(true);
same<WorkerStats['state'], SlotState>(true);
same<typeof stats.coordinator, HelperView | undefined>(true);
same<PoolEvents['worker:exit']['reason'], ExitReason>(true);
same<StreamItem<() => Generator<number>>, number>(true);
pool.on('task:settle', (event) => same<typeof event.taskId, number>(true));
// @ts-expect-error: no such event
pool.on('task:begin', () => undefined);
const error: unknown = undefined;
if (isThreadwiseError(error)) {
  error.code satisfies string;
  same<typeof error.exitCode, number | undefined>(true);
  same<typeof error.taskName, string | undefined>(true);
  same<typeof error.taskId, number | undefined>(true);
  same<typeof error.workerId, number | undefined>(true);
  same<typeof error.path, string | undefined>(true);
}
await using _disposed = pool;

// without the module's type everything is unknown
const untyped = createPool(url);
const anything = await untyped.run('whatever', [1, 'x']);
same<typeof anything, unknown>(true);

// what threads share
const channel = Channel.from<Channel<number>>(new SharedArrayBuffer(0));
same<Awaited<ReturnType<typeof channel.receive>>, number | undefined>(true);
const mutex = Mutex.from(new SharedArrayBuffer(0));
same<typeof mutex, Mutex>(true);
const locked = await mutex.withLock(async (isAbandoned) => (isAbandoned ? 'mended' : 1));
locked satisfies string | number;
using _hold = await mutex.lock();
// @ts-expect-error: a barrier has parties
new Barrier();
// @ts-expect-error: a channel of numbers
await channel.send('text');
