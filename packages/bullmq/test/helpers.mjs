// What the suites of the fleet share: machines in this process and in others, callers, files that tasks wait for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { connect, serve } from '@threadwise/bullmq';
import { QueueEvents } from 'bullmq';
import { onEnd } from './redis.mjs';

export const tasksUrl = new URL('./fixtures/tasks.mjs', import.meta.url);
const scriptOf = (name) => fileURLToPath(new URL(`./fixtures/${name}.mjs`, import.meta.url));

/**
 * Options of a machine that hears soon of another one's death; its lock is much longer than a busy computer keeps a thread waiting that has
 * something to do.
 */
export const QUICK = { lockMs: 2500, stalledCheckMs: 100, maxLost: 1000 };

/** A machine in this process, closed with the test. */
export async function machineHere(t, redis, options = {}, module = tasksUrl) {
  const service = serve(module, {
    queue: 'work',
    connection: redis.connection,
    pool: { threads: 2 },
    signals: [],
    onError: () => undefined,
    ...options,
  });
  onEnd(t, () => service.close({ timeoutMs: 0 }));
  await service.ready;
  return service;
}

/**
 * A machine in a process of its own, killed with the test. Resolves when it takes jobs. `script`: another program than a service; `skewMs`: how much
 * its clock is ahead.
 */
export async function machine(t, redis, { script = 'service', skewMs, ...options } = {}) {
  const settings = { queue: 'work', connection: redis.connection, pool: { threads: 2 }, ...options };
  const preload = skewMs === undefined ? [] : ['--import', pathToFileURL(scriptOf('clock')).href];
  const child = spawn(process.execPath, [...preload, scriptOf(script), JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, CLOCK_SKEW_MS: String(skewMs ?? 0) },
  });
  onEnd(t, () => kill(child));
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(([code]) => [`ended with ${code}`]),
  ]);
  if (line !== 'ready') throw new Error(`the machine did not begin: ${line}`);
  return child;
}

/** The events of a queue from its beginning. */
export async function eventsOf(t, redis, queue) {
  const events = new QueueEvents(queue, { connection: redis.connection, lastEventId: '0' });
  onEnd(t, () => events.close());
  await events.waitUntilReady();
  return events;
}

export async function kill(child, signal = 'SIGKILL') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** A caller, closed with the test. */
export function caller(t, redis, options = {}) {
  const fleet = connect({ queue: 'work', connection: redis.connection, ...options });
  onEnd(t, () => fleet.close({ timeoutMs: 0 }));
  return fleet;
}

/** A folder of the test's own: `path` in it, what tasks `wrote` there, and what lets them go on. */
export function folder(t) {
  const dir = mkdtempSync(join(tmpdir(), 'threadwise-fleet-'));
  onEnd(t, () => rmSync(dir, { recursive: true, force: true }));
  const path = (name) => join(dir, name);
  const wrote = (name) => {
    try {
      return readFileSync(path(name), 'utf8').split('\n').slice(0, -1);
    } catch (error) {
      if (error.code === 'ENOENT') return [];
      throw error;
    }
  };
  return { path, wrote, open: (name) => writeFileSync(path(name), '') };
}

/** Starts a call and waits until its task has told that it runs. */
export async function begun(fleet, name, args, options = {}) {
  let onProgress;
  const running = new Promise((resolve) => {
    onProgress = resolve;
  });
  const promise = fleet.run(name, args, { ...options, onProgress });
  promise.catch(() => undefined);
  await Promise.race([running, promise]);
  return { promise };
}

/** What a promise is rejected with. */
export async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was not rejected');
}

/** Resolves when `accept` agrees with what an emitter tells. */
export function told(emitter, event, accept = () => true) {
  return new Promise((resolve) => {
    const listener = (...args) => {
      if (!accept(...args)) return;
      emitter.off(event, listener);
      resolve(args);
    };
    emitter.on(event, listener);
  });
}
