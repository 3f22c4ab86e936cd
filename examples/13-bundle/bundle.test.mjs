import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTransformPool, transformAll } from './compare.js';
import { bundle, runBundle, valueOf, writeModules } from './modules.js';
import { byEsbuild, byTypescript } from './transform.js';

const bad = { name: 'bad.ts', code: 'export const a: number = 1;\nexport const = 2;' };

test('both transformers make bundles that compute the same', () => {
  for (const transform of [byTypescript, byEsbuild]) {
    const modules = writeModules(4).map(({ name, code }) => ({ name, code: transform({ name, code }) }));
    assert.equal(runBundle(bundle(modules)), 1 + 2 + 3 + 4, transform.name);
  }
  assert.equal(valueOf(4), 10);
});

test('a module that cannot be transformed ends the bundle, with its name and the line, also on threads', async (t) => {
  assert.throws(() => byTypescript(bad), { name: 'SyntaxError', message: /^bad\.ts:2:14: / });
  assert.throws(() => byEsbuild(bad), { message: /\bbad\.ts:2:\d+: / });
  const pool = createTransformPool(1);
  t.after(() => pool.close());
  const modules = [...writeModules(2), bad, ...writeModules(2)];
  await assert.rejects(transformAll(pool, 'byTypescript', modules), {
    name: 'SyntaxError',
    message: /^bad\.ts:2:14: /,
  });
  await assert.rejects(transformAll(pool, 'byEsbuild', modules), { message: /\bbad\.ts:2:\d+: / });
  const [first] = await transformAll(pool, 'byTypescript', writeModules(1));
  assert.equal(first, byTypescript(writeModules(1)[0]), 'the pool goes on');
});

test('main.js makes the same bundle in all ways, and ends with what threads brought', async () => {
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--modules', '3', '--threads', '2']);
  assert.match(
    stdout,
    /^3 modules, .*\nTypeScript: On 2 threads .* times as fast.*\nesbuild: On 2 threads .* times as fast.* asynchronous/,
  );
});
