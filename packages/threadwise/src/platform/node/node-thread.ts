/** Starts a thread of Node from given code, and reports how it ends. Imports no workers' code, as the coordinator's script has this file, too. */
import { SHARE_ENV, Worker, type WorkerOptions } from 'node:worker_threads';
import type { Thread, ThreadExit, ThreadSpec } from '../../core/contracts.js';
import { clockZero, setImmediate } from './clock.js';
import { cpuTime, loopUtilization, youngestThreadId } from './usage.js';
import type { WorkerBoot } from './threads/worker-entry.js';

/** What the coordinator's thread needs to start a worker. It can be cloned (SHARE_ENV, a symbol, cannot), and its port has to be transferred. */
export type Recipe = ReturnType<typeof recipeFor>;

export function recipeFor(source: string, spec: ThreadSpec) {
  const { env, ...settings } = spec.settings;
  const sharesEnv = env === SHARE_ENV;
  // Otherwise a worker would get the options of the thread that starts it.
  const inherited = settings.execArgv === undefined ? process.execArgv : undefined;
  return { source, spec: { ...spec, settings: sharesEnv ? settings : spec.settings }, sharesEnv, inherited };
}

export function spawnFromRecipe(recipe: Recipe, onExit: (exit: ThreadExit) => void): Thread {
  const { source, spec, sharesEnv, inherited } = recipe;
  try {
    const settings = {
      ...spec.settings,
      ...(sharesEnv && { env: SHARE_ENV }),
      ...(inherited && { execArgv: inherited }),
    };
    return spawnFrom(source, { ...spec, settings }, onExit);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (inherited === undefined || code !== 'ERR_WORKER_INVALID_EXEC_ARGV') throw error;
    // A thread cannot have all options of a process, such as the size of its heap: the error lists these.
    const left = withoutOptions(inherited, message.slice(message.indexOf(': ') + 2));
    if (left.length === inherited.length) throw error;
    // Node stops at the first value that it does not expect: at the next try it may refuse options that come after that value.
    return spawnFromRecipe({ ...recipe, inherited: left }, onExit);
  }
}

/** @param refused options with ', ' between them; an option may have commas of its own */
export function withoutOptions(options: readonly string[], refused: string): string[] {
  let skipsValue = false;
  return options.filter((option) => {
    // The next item is the option's value only if the option has no '='.
    if (!option.startsWith('-')) return !skipsValue;
    const isOut = `, ${refused}, `.includes(`, ${option}, `);
    skipsValue = isOut && !option.includes('=');
    return !isOut;
  });
}

/** The thread's workerData. */
export interface Start {
  /** 1 as soon as the boot message is on the thread's port. */
  readonly told: Int32Array;
  /** The system's number of the thread, as the thread itself writes it; before that, as it was found out when the thread was started. */
  readonly threadId: Int32Array;
}

/** One shared word, 0. */
const word = () => new Int32Array(new SharedArrayBuffer(4));

/**
 * What threads share of a source: its text, of one byte a character; the code that V8 has compiled it to (its code cache), which new threads use;
 * and how many bytes of that there are, 0 until then. The text in each message would stay in the heap of the system.
 */
const sharedOf = new Map<string, Record<'text' | 'code', Uint8Array> & { readonly length: Int32Array }>();

/** Makes this thread compile a source in its next turn, while the first thread is starting. Threads that find no result compile it themselves. */
function shared(source: string) {
  const known = sharedOf.get(source);
  if (known !== undefined) return known;
  // Room for the largest code cache that was seen, which contains the source itself (Node.js 26). Pages that are not written take no memory.
  const code = new Uint8Array(new SharedArrayBuffer(3 * source.length));
  const text = new Uint8Array(new SharedArrayBuffer(source.length));
  text.set(Buffer.from(source, 'latin1'));
  const made = { text, code, length: word() };
  sharedOf.set(source, made);
  setImmediate(() => {
    const { Script } = process.getBuiltinModule('node:vm'); // now, as an import should cost little
    const cache = new Script(source, { filename: FILENAME }).createCachedData();
    if (cache.length > code.length) return;
    code.set(cache);
    Atomics.store(made.length, 0, cache.length);
  }).unref();
  return made;
}

/** Threads that were started and wait for their boot message, for the pool that is being made. */
const ahead: ReturnType<typeof startWaiting>[] = [];

/** Starts threads that have nothing to run yet, for later calls of `spawnFrom`. Returns a function that ends the threads that no call took. */
export function startAhead(names: readonly string[]): () => void {
  try {
    for (const name of names) ahead.push(startWaiting({ name }));
  } catch {
    // The system will refuse `spawnFrom` a thread, too, and the caller of that reports it.
  }
  return () => {
    for (const { worker } of ahead.splice(0)) void worker.terminate();
  };
}

/** Starts a thread that waits for its boot message. That has the code as text: a bundler moves files, and one script starts faster than modules. */
function startWaiting(options: WorkerOptions) {
  const start: Start = { told: word(), threadId: word() };
  const runsImports = mayImport(options.execArgv, options.env);
  const starter = runsImports ? new URL(`data:text/javascript,${encodeURIComponent(STARTER)}`) : STARTER;
  const worker = newWorker(starter, { ...options, eval: !runsImports, workerData: start });
  // The thread writes its number itself, but has to compute for a while before: until then this number tells how long it waits for a core.
  Atomics.compareExchange(start.threadId, 0, 0, youngestThreadId());
  return { ...start, worker };
}

/** Starts a worker's thread, or takes one that was started ahead. */
export function spawnFrom(source: string, spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread {
  const { settings, ...place } = spec;
  const { data, ...given } = settings;
  const name = `${place.poolName}/${place.workerId}`;
  const { worker, told, threadId } = ahead.shift() ?? startWaiting({ ...(given as WorkerOptions), name });
  const boot = { ...place, data, clockZero: clockZero() } as WorkerBoot;
  try {
    worker.postMessage({ ...shared(source), boot }, [boot.wire.port]);
  } catch (error) {
    void worker.terminate();
    throw error;
  }
  Atomics.store(told, 0, 1);
  Atomics.notify(told, 0);
  return threadOf(worker, onExit, threadId);
}

/** What stack traces and profiles call a worker's code. */
const FILENAME = '[worker eval]';

/** A thread's first script. Node.js parses it twice, and so not the worker's code, which comes in a message. Only this script can import. */
const STARTER = `{
  const { parentPort, receiveMessageOnPort, workerData } = process.getBuiltinModule('node:worker_threads');
  Atomics.wait(workerData.told, 0, 0);
  const { text, code, length, boot } = receiveMessageOnPort(parentPort).message;
  Object.assign(workerData, { boot, load: (url) => import(url) });
  const size = Atomics.load(length, 0);
  const cachedData = size === 0 ? undefined : code.subarray(0, size);
  const { Script } = process.getBuiltinModule('node:vm');
  new Script(Buffer.from(text.buffer).latin1Slice(), { filename: '${FILENAME}', cachedData }).runInThisContext();
}`;

/** Whether options may have `--import`: Node.js runs its modules before a URL, but not before a text. A false alarm costs a millisecond. */
function mayImport(execArgv: readonly string[] | undefined, env: unknown): boolean {
  const { NODE_OPTIONS = '' } = (typeof env === 'object' ? env : process.env) as NodeJS.ProcessEnv;
  return [...(execArgv ?? process.execArgv), NODE_OPTIONS].some((option) => option.includes('--import'));
}

/** Starts a thread that gets all that it needs as workerData. */
export function nodeThread(code: string, options: WorkerOptions, onExit: (exit: ThreadExit) => void): Thread {
  return threadOf(newWorker(code, { ...options, eval: true }), onExit, new Int32Array(1));
}

function newWorker(code: string | URL, options: WorkerOptions): Worker {
  // A null prototype: properties that a program has put on `Object.prototype` must not count as options.
  const worker = new Worker(code, Object.assign(Object.create(null), options) as WorkerOptions);
  worker.unref();
  return worker;
}

/** @param threadId one word, into which the thread writes its number in the system */
function threadOf(worker: Worker, onExit: (exit: ThreadExit) => void, threadId: Int32Array): Thread {
  let error: unknown;
  worker.on('error', (uncaught) => {
    error = uncaught;
  });
  worker.once('exit', (exitCode) => {
    const code = (error as { code?: unknown } | null | undefined)?.code;
    onExit({ exitCode, error, outOfMemory: code === 'ERR_WORKER_OUT_OF_MEMORY' });
  });
  let ending: Promise<number> | undefined;
  return {
    terminate: () => {
      // Called once: each call adds a listener until the thread has ended, and Node.js warns of a leak from the eleventh on.
      ending ??= worker.terminate();
    },
    utilization: loopUtilization(worker.performance),
    cpu: () => cpuTime(Atomics.load(threadId, 0)),
  };
}
