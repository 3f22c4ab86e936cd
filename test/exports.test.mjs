// What the packages export: a change here is a change of the public interface.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as library from 'threadwise';
import * as fleet from '@threadwise/bullmq';
import * as fleetWorker from '@threadwise/bullmq/worker';
import * as files from 'threadwise/files';
import * as internal from 'threadwise/internal';
import * as sync from 'threadwise/sync';
import * as worker from 'threadwise/worker';

test("the values of 'threadwise', twelve at the most", () => {
  const names = [
    'ThreadwiseError',
    'availableThreads',
    'createPool',
    'isThreadwiseError',
    'leastBusy',
    'leastElu',
    'random',
    'roundRobin',
  ];
  assert.deepEqual(Object.keys(library).sort(), names);
  assert.ok(names.length <= 12);
});

test("the values of 'threadwise/worker'", () => {
  assert.deepEqual(Object.keys(worker).sort(), ['task', 'transfer']);
});

test("the values of 'threadwise/files'", () => {
  assert.deepEqual(Object.keys(files).sort(), ['readFile', 'readFiles']);
});

test("the values of 'threadwise/sync'", () => {
  assert.deepEqual(Object.keys(sync).sort(), ['Barrier', 'Channel', 'Counter', 'Latch', 'Mutex']);
});

test("the values of '@threadwise/bullmq' and its worker's end", () => {
  assert.deepEqual(Object.keys(fleet).sort(), ['FleetError', 'connect', 'moduleHash', 'serve']);
  assert.deepEqual(Object.keys(fleetWorker), ['job']);
});

test('require() gives the same, and works', async () => {
  const required = createRequire(import.meta.url)('threadwise');
  assert.equal(required.createPool, library.createPool);
});

test('a loader that can require no module, such as that of Jest, has files of its own', async () => {
  const require = createRequire(import.meta.url);
  const required = (name) => require(`../packages/threadwise/dist/${name}.cjs`);
  for (const [name, module] of Object.entries({ index: library, worker, files, sync, internal })) {
    assert.deepEqual(Object.keys(required(name)).sort(), Object.keys(module).sort());
  }
  const pool = required('index').createPool('data:text/javascript,export const f = (x) => x + 1');
  assert.equal(await pool.run('f', [1]), 2);
  const error = await pool.run('g', []).catch((thrown) => thrown);
  assert.ok(library.isThreadwiseError(error), 'an error of one copy is known to the other');
  await pool.close();
});

test('nothing else can be imported', async () => {
  await assert.rejects(import('threadwise/dist/core/engine.js'), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
});

test('what is published names no folder of the machine that built it', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = ['threadwise', 'cli', 'control', 'bullmq'].flatMap((name) => {
    const dist = join(root, 'packages', name, 'dist');
    return readdirSync(dist, { recursive: true }).map((file) => join(dist, file));
  });
  const naming = files.filter((file) => statSync(file).isFile() && readFileSync(file, 'utf8').includes(root));
  assert.deepEqual(naming, []);
});

test('types of CommonJS files are CommonJS: Turbopack reads what lies beside the library, and refuses a module there', () => {
  const dist = fileURLToPath(new URL('../packages/threadwise/dist/', import.meta.url));
  const names = readdirSync(dist).filter((name) => name.endsWith('.d.cts'));
  assert.equal(names.length, 5);
  for (const name of names)
    assert.doesNotMatch(readFileSync(`${dist}${name}`, 'utf8'), /^export (?!=)/m, name);
});

test('the methods of a pool', () => {
  const pool = library.createPool('data:text/javascript,export const f = () => 1', {
    threads: { min: 0, max: 1 },
  });
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(pool)).sort();
  assert.deepEqual(methods, [
    'broadcast',
    'close',
    'configure',
    'constructor',
    'destroy',
    'drain',
    'lease',
    'map',
    'off',
    'on',
    'pause',
    'ready',
    'recycle',
    'resize',
    'resume',
    'room',
    'run',
    'stats',
    'stream',
  ]);
  assert.deepEqual(Object.keys(pool).sort(), ['name', 'tasks']);
  return pool.close();
});

test('a compiler that does not know exports (moduleResolution node10) finds the types of every entry', () => {
  for (const name of ['threadwise', '@threadwise/bullmq']) {
    const { exports, typesVersions } = createRequire(import.meta.url)(`${name}/package.json`);
    const entries = Object.keys(exports).filter((entry) => !['.', './package.json'].includes(entry));
    const types = entries.map((entry) => [entry.slice(2), [`./dist/${entry.slice(2)}.d.ts`]]);
    assert.deepEqual(typesVersions, { '*': Object.fromEntries(types) });
  }
});
