// Transforms the same modules with two transformers, each in several ways: the bundles must be equal, and compute what is expected.
import { transform } from 'esbuild';
import { createPool } from 'threadwise';
import { timed } from '../timing.js';
import { bundle, runBundle, valueOf, writeModules } from './modules.js';
import { byEsbuild, byTypescript, ESBUILD_OPTIONS } from './transform.js';

/** How many milliseconds a worker may take to start: TypeScript has nine megabytes of code, which a busy machine loads slowly. */
const START_TIMEOUT_MS = 120_000;

export function createTransformPool(threads) {
  const worker = { startTimeoutMs: START_TIMEOUT_MS };
  return createPool(new URL('./tasks.js', import.meta.url), { threads, worker });
}

/**
 * @returns for each way how many milliseconds it took; `startMs`: how many until the threads had loaded both transformers;
 * `bytes` of the bundle
 */
export async function compare({ modules: count, threads }) {
  const modules = writeModules(count);
  const pool = createTransformPool(threads);
  try {
    const [, startMs] = await timed(() => pool.ready);
    await warmUp(pool, modules);
    const alone = (transformer) => () => modules.map(transformer);
    const [typescript, typescriptPool] = await sameBundles(modules, [
      alone(byTypescript),
      () => transformAll(pool, 'byTypescript', modules),
    ]);
    const [esbuildSync, esbuildAsync, esbuildPool] = await sameBundles(modules, [
      alone(byEsbuild),
      () => Promise.all(modules.map(transformAsync)),
      () => transformAll(pool, 'byEsbuild', modules),
    ]);
    const ways = { typescript, typescriptPool, esbuildSync, esbuildAsync, esbuildPool };
    const bytes = typescript.script.length;
    return {
      startMs,
      bytes,
      ...Object.fromEntries(Object.entries(ways).map(([way, { milliseconds }]) => [way, milliseconds])),
    };
  } finally {
    await pool.close();
  }
}

/** Transforms all modules on the pool. Resolves to their texts, in the order of the modules; rejects if one cannot be transformed. */
export async function transformAll(pool, task, modules) {
  const texts = [];
  for await (const text of pool.map(task, modules)) texts.push(text);
  return texts;
}

async function transformAsync({ name, code }) {
  return (await transform(code, { ...ESBUILD_OPTIONS, sourcefile: name })).code;
}

/** Measures each way. Throws if the first bundle computes something else, or another bundle differs. */
async function sameBundles(modules, ways) {
  const results = [];
  for (const way of ways) {
    const [texts, milliseconds] = await timed(way);
    results.push({ milliseconds, script: bundle(modules.map(({ name }, i) => ({ name, code: texts[i] }))) });
  }
  const [{ script }] = results;
  const value = runBundle(script);
  if (value !== valueOf(modules.length)) throw new Error(`The bundle computes ${value}`);
  if (results.some((other) => other.script !== script)) throw new Error('The threads made another bundle');
  return results;
}

/** Starts esbuild's processes, and has the engine compile the other transformer: a tool that watches files does that only once. */
async function warmUp(pool, [first]) {
  byTypescript(first);
  byEsbuild(first);
  await transformAsync(first);
  await Promise.all(['byTypescript', 'byEsbuild'].map((task) => pool.broadcast(task, [first])));
}
