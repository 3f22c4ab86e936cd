import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createPool } from 'threadwise';
import { UsageError } from '../../exit-code.js';
import { findModule, isCommonJs, loadError, namedFunction, selectFunction } from './task-module.js';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'threadwise-module-'));
  for (const name of ['tasks.js', 'odd#name.js']) writeFileSync(join(folder, name), '');
});
after(() => rmSync(folder, { recursive: true }));

const usage = (message: RegExp) => (error: unknown) =>
  error instanceof UsageError && message.test(error.message);
const one = (): number => 1;
const two = (): number => 2;
const url = 'file:///tasks.js';

test('finds a module by path or URL, with and without an export', () => {
  const path = join(folder, 'tasks.js');
  const { href } = pathToFileURL(path);
  assert.deepEqual(findModule(path), { url: href, exportName: undefined });
  assert.deepEqual(findModule(`${path}#hash`), { url: href, exportName: 'hash' });
  assert.deepEqual(findModule(`${href}#hash`), { url: href, exportName: 'hash' });
});

test('tells as Node.js does whether a module is CommonJS: by its ending, the nearest package.json, its text', () => {
  const isSo = (name: string, text: string): boolean => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return isCommonJs(pathToFileURL(path).href);
  };
  assert.ok(isSo('a.js', "const fs = require('node:fs');\nexports.f = () => import('./b.mjs');\n"));
  assert.ok(isSo('b.cjs', "// to export it\nimport('./b.mjs');\nmodule.exports = () => 1;"));
  assert.ok(!isSo('c.js', 'const f = 1;export{f};'));
  assert.ok(!isSo('d.js', "  import http from 'node:http';\nhttp.createServer().listen();"));
  assert.ok(!isSo('e.ts', 'export async function f(): Promise<number> { return 1; }'));
  assert.ok(!isSo('f.mjs', 'globalThis.f = 1;'));
  const [esText, text] = [
    '/*\nexport of data\n*/ export const f = 1;',
    'globalThis.f = 1; /*\nexport of data\n*/',
  ];
  for (const type of ['module', 'commonjs'])
    writeFileSync(
      join(mkdirSync(join(folder, type), { recursive: true })!, 'package.json'),
      `{"type":"${type}"}`,
    );
  assert.ok(!isSo('module/deep/a.js', text));
  assert.ok(isSo('module/deep/a.cjs', text));
  assert.ok(isSo('commonjs/deep/a.js', text));
  assert.ok(isSo('commonjs/a.ts', text));
  assert.ok(!isSo('commonjs/a.mts', text));
  assert.ok(!isCommonJs(pathToFileURL(join(folder, 'none.js')).href));
  assert.ok(!isSo('commonjs/node_modules/a.js', esText), 'no package ends above node_modules');
});

test('where the system gives no thread, the module is not to blame', () => {
  const none = Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
  const refused = Object.assign(new Error('cannot load', { cause: none }), { code: 'ERR_MODULE_LOAD' });
  for (const error of [none, refused])
    assert.equal(
      loadError('x.mjs', 'file:///x.mjs', error).message,
      "cannot run 'x.mjs': the system gives no further thread (EAGAIN)",
    );
});

test('of a module that does not end loading it says what can be done, and names no option of the library', async () => {
  const path = join(folder, 'never.mjs');
  writeFileSync(path, 'await new Promise(() => setInterval(() => {}, 2 ** 30)); export const f = () => 1;');
  const pool = createPool(pathToFileURL(path), { threads: 1, worker: { startTimeoutMs: 1 } });
  const refused = await pool.ready.then(
    () => assert.fail('it loaded'),
    (error: unknown) => loadError('never.mjs', pathToFileURL(path).href, error),
  );
  await pool.destroy();
  assert.match(
    refused.message,
    /^cannot load 'never\.mjs': Error: It did not load within 1 ms\. .*top-level await/,
  );
  assert.doesNotMatch(refused.message, /option|startTimeoutMs/);
});

test('an error of the module is told with its cause', () => {
  const error = new Error('no connection', { cause: new RangeError('no port 99999') });
  assert.equal(
    loadError('x.mjs', 'file:///x.mjs', error).message,
    "cannot load 'x.mjs': Error: no connection (cause: RangeError: no port 99999)",
  );
});

test('finds a file that has a # in its name', () => {
  const path = join(folder, 'odd#name.js');
  assert.equal(findModule(path).url, pathToFileURL(path).href);
  assert.equal(findModule(`${path}#x`).exportName, 'x');
});

test('says what is wrong with a module', () => {
  assert.throws(
    () => findModule(join(folder, 'no.js')),
    usage(/cannot find module '.*no\.js': no such file/),
  );
  assert.throws(() => findModule(folder), usage(/expected a module, but '.*' is not a file/));
  assert.throws(
    () => findModule(`${join(folder, 'tasks.js')}#`),
    usage(/expected an export's name after '#'/),
  );
});

test('takes the named export, else the default, else the only function', () => {
  assert.equal(selectFunction({ one, default: two }, 'one', url), one);
  assert.equal(selectFunction({ one, default: two }, undefined, url), two);
  assert.equal(selectFunction({ one, number: 1, setup: two, teardown: two }, undefined, url), one);
  assert.equal(selectFunction({ default: { one }, 'module.exports': { one } }, 'one', url), one);
  const removed = {
    get gone() {
      throw new Error('removed');
    },
    one,
  };
  assert.equal(selectFunction({ default: removed }, 'one', url), one);
  const compiled = { __esModule: true, default: one, two };
  assert.equal(selectFunction({ ...compiled, default: compiled }, undefined, url), one);
});

test('lists what there is if it is not clear', () => {
  assert.throws(
    () => selectFunction({ one, two }, undefined, url),
    usage(/no default export; it exports #one, #two/),
  );
  assert.throws(() => selectFunction({ number: 1 }, undefined, url), usage(/it exports no function/));
  assert.throws(() => namedFunction({ one }, 'tow', url), usage(/has no export 'tow'; it exports #one/));
  const hasDefault = usage(/has no export 'tow'; it exports #default, #one$/);
  assert.throws(() => namedFunction({ default: two, one }, 'tow', url), hasDefault);
  const onlyDefault = usage(/has no export 'tow'; it exports #default$/);
  assert.throws(() => namedFunction({ default: two }, 'tow', url), onlyDefault);
  assert.throws(() => namedFunction({ one, n: 1 }, 'n', url), usage(/has no function 'n'/));
  assert.throws(() => namedFunction({ one }, 'toString', url), usage(/has no export 'toString'/));
});

test('says what to do with an ES module that Node.js takes for CommonJS', () => {
  const path = join(folder, 'tasks.js');
  const { href } = pathToFileURL(path);
  for (const message of ['Cannot use import statement outside a module', "Unexpected token 'export'"]) {
    const told = loadError('tasks.js', href, new SyntaxError(message)).message;
    assert.ok(told.startsWith(`cannot load 'tasks.js': SyntaxError: ${message}`), told);
    assert.match(told, /name the file \.mjs, or put "type": "module" into its package\.json$/);
  }
  assert.doesNotMatch(loadError('tasks.js', href, new SyntaxError('Unexpected token')).message, /\.mjs/);
});
