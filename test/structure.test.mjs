// The structure of the library's source: imports point inward, and none are circular.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const src = fileURLToPath(new URL('../packages/threadwise/src/', import.meta.url));

/** Which other folders a folder may import from. Entries, the files in `src` itself, may import from all. */
const ALLOWED = {
  metrics: [],
  core: ['metrics'],
  scheduling: ['core'],
  transport: ['core'],
  runner: ['core', 'metrics', 'transport'],
  coordinator: ['core', 'scheduling', 'transport'],
  platform: ['core', 'transport', 'runner', 'coordinator'],
  files: ['core'],
  sync: ['core', 'platform'],
};
/** Folders whose code must run on any platform. */
const PLATFORM_FREE = ['core', 'scheduling', 'metrics', 'transport', 'runner', 'coordinator'];

const files = readdirSync(src, { recursive: true })
  .filter((name) => name.endsWith('.ts') && !/\.(test|case)\.ts$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(src, name), 'utf8') }));

/** The imports and re-exports of a file. `isType`: nothing of it is left at run time. */
function importsOf({ name, text }) {
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?([^;]*?)\sfrom\s+'([^']+)'/gms);
  return [...statements].map(([, type, names, from]) => ({
    from,
    isType: type !== undefined || onlyTypes(names),
    target: from.startsWith('.') ? normalize(join(dirname(name), from)).replace(/\.js$/, '.ts') : undefined,
  }));
}

function onlyTypes(names) {
  const listed = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1];
  if (listed === undefined) return false;
  const each = listed.split(',').map((item) => item.trim());
  return each.filter(Boolean).every((item) => item.startsWith('type '));
}

const folderOf = (name) => (name.includes(sep) ? name.split(sep)[0] : undefined);

test('the parser sees imports: it is not fooled into passing', () => {
  const direct = files.find(({ name }) => name === join('scheduling', 'dispatch', 'direct.ts'));
  const seen = importsOf(direct);
  assert.ok(seen.some(({ target, isType }) => target === join('core', 'contracts.ts') && isType));
  assert.ok(seen.some(({ target, isType }) => target?.endsWith('affinity.ts') && !isType));
});

test('a view of shared memory is made with a length: without one, of what can grow, it is fifty times as slow', () => {
  const views =
    /new (?:DataView|(?:Big)?(?:Ui|I)nt\d+(?:Clamped)?Array|Float\d+Array)\((?:buffer|\w*(?:own|memory)(?:\.\w+)*)\)/gi;
  assert.ok(views.test('new Int32Array(memory.own)'));
  const found = files.flatMap(({ name, text }) =>
    (text.match(views) ?? []).map((view) => `${name}: ${view}`),
  );
  assert.deepEqual(found, []);
});

test('imports point inward only', () => {
  const outward = files.flatMap((file) => {
    const own = folderOf(file.name);
    if (own === undefined) return [];
    return importsOf(file)
      .filter(({ target }) => target !== undefined)
      .filter(({ target }) => ![own, ...ALLOWED[own]].includes(folderOf(target)))
      .map(({ target }) => `${file.name} → ${target}`);
  });
  assert.deepEqual(outward, []);
});

test('core, policies, transport and runner import no platform', () => {
  const found = files
    .filter(({ name }) => PLATFORM_FREE.includes(folderOf(name)))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => target === undefined)
        .map(({ from }) => `${file.name} → ${from}`),
    );
  assert.deepEqual(found, []);
});

test('the library depends on nothing but the platform', () => {
  const foreign = files.flatMap((file) =>
    importsOf(file)
      .filter(({ target, from }) => target === undefined && !from.startsWith('node:'))
      .map(({ from }) => `${file.name} → ${from}`),
  );
  assert.deepEqual(foreign, []);
  const { dependencies } = JSON.parse(readFileSync(join(src, '../package.json'), 'utf8'));
  assert.equal(dependencies, undefined);
});

test('no circles of imports that are there at run time', () => {
  const graph = new Map(
    files.map((file) => [
      file.name,
      importsOf(file)
        .filter(({ isType, target }) => !isType && target !== undefined)
        .map(({ target }) => target),
    ]),
  );
  const done = new Set();
  const visit = (name, path) => {
    if (path.includes(name)) assert.fail(`circle: ${[...path, name].join(' → ')}`);
    if (done.has(name)) return;
    for (const next of graph.get(name) ?? []) visit(next, [...path, name]);
    done.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
});

test('every file begins by saying why it exists', () => {
  const silent = files.filter(({ text }) => !/^\/\*\*\s*(\n \* )?\S/.test(text)).map(({ name }) => name);
  assert.deepEqual(silent, []);
});

test('every seam has a conformance suite', () => {
  const suites = readdirSync(src, { recursive: true }).filter((name) => name.endsWith('.case.ts'));
  for (const seam of ['queue', 'choice', 'scaling', 'placement', 'transport', 'platform']) {
    assert.ok(
      suites.some((name) => name.endsWith(`${seam}.case.ts`)),
      `${seam}.case.ts`,
    );
  }
});
