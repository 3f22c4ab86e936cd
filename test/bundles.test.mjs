// A program bundled with esbuild or Vite still finds its task module and its workers.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { build as viteBuild } from 'vite';

const APP = `
import { createPool, isThreadwiseError } from 'threadwise';
const pool = createPool(new URL('./tasks.js', import.meta.url), { threads: 2 });
console.log(await pool.run('whoAmI', [20]), await pool.run('report', [], { onProgress: (v) => console.log(v) }));
await pool.close();
const here = createPool(new URL('./tasks.js', import.meta.url), { placement: 'inline' });
console.log(isThreadwiseError(await here.run('missing', []).catch((error) => error)));
await here.close();
`;
const TASKS = `
import { task } from 'threadwise/worker';
export const whoAmI = (x) => x + task.workerId;
export const report = () => { task.progress('on the way'); return 'done'; };
`;

/** A folder with an application of two files and the library in its node_modules, as a user has it. */
function application(t) {
  const dir = mkdtempSync(join(tmpdir(), 'threadwise-bundle-'));
  t.after(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(dir, 'app.js'), APP);
  writeFileSync(join(dir, 'tasks.js'), TASKS);
  symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(dir, 'node_modules'));
  return dir;
}

/** Runs the bundle without node_modules: the whole library must be inside. */
function runAlone(dir) {
  rmSync(join(dir, 'node_modules'));
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(dir, 'out/app.js')], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const lines = stdout.trim().split('\n');
  assert.equal(lines[0], 'on the way');
  assert.match(lines[1], /^2[12] done$/);
  assert.equal(lines[2], 'true', 'an error of threadwise, whatever a minifier calls its class');
  const bundled = readFileSync(join(dir, 'out/app.js'), 'utf8');
  assert.doesNotMatch(bundled, /from\s*['"]threadwise/);
}

test('esbuild: two entry points', async (t) => {
  const dir = application(t);
  await esbuild.build({
    entryPoints: [join(dir, 'app.js'), join(dir, 'tasks.js')],
    outdir: join(dir, 'out'),
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  writeFileSync(join(dir, 'out/package.json'), '{ "type": "module" }');
  runAlone(dir);
});

test('Vite: a build for Node', async (t) => {
  const dir = application(t);
  await viteBuild({
    root: dir,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: join(dir, 'out'),
      emptyOutDir: false,
      rollupOptions: {
        input: { app: join(dir, 'app.js'), tasks: join(dir, 'tasks.js') },
        output: { entryFileNames: '[name].js' },
      },
    },
  });
  runAlone(dir);
});

test('webpack leaves what the library imports by a name that is known at run time only', () => {
  const text = readFileSync(new URL('../packages/threadwise/dist/whole.js', import.meta.url), 'utf8');
  const library = text.replaceAll('\\\n', ''); // long texts continue on the next line
  const imports = [...library.matchAll(/\bimport\(([^)]*)\)/g)].map(([, name]) => name.replaceAll(/\s/g, ''));
  const left = ['/*webpackIgnore:true*/PACKAGE', '/*webpackIgnore:true*/moduleUrl'];
  // What begins a thread is text, which no bundler reads.
  assert.deepEqual(imports.filter((name) => name !== 'url' && !/^["']node:/.test(name)).sort(), left);
});

test('the library is built in any folder, also in one whose name a URL escapes', (t) => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const dir = mkdtempSync(join(tmpdir(), 'threadwise #%é '));
  t.after(() => rmSync(dir, { recursive: true }));
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  const own = ['package.json', 'tsconfig.json', 'src', 'dist'].map((name) => `packages/threadwise/${name}`);
  for (const name of ['scripts', 'tsconfig.base.json', ...own])
    cpSync(join(root, name), join(dir, name), { recursive: true });
  const built = ['index.cjs', 'whole.js', 'worker.js', 'platform/node/threads/worker-source.js'].map(
    (name) => `packages/threadwise/dist/${name}`,
  );
  for (const name of built) rmSync(join(dir, name));
  const script = `
    import { buildThreads } from './scripts/build-threads.mjs';
    import { buildEntries } from './scripts/build-entries.mjs';
    await buildThreads();
    await buildEntries();
  `;
  writeFileSync(join(dir, 'build.mjs'), script);
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { cwd: dir, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  for (const name of built)
    assert.equal(readFileSync(join(dir, name), 'utf8'), readFileSync(join(root, name), 'utf8'), name);
});

/** How many bytes the library may add to a program that is bundled and minified; the goal is 120,000. */
const MOST_BYTES = 317_710;

test('esbuild: all of the library, minified, is of bounded size, and what both kinds of threads need is in it once', async () => {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: "export * from 'threadwise'", resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const { text } = outputFiles[0];
  assert.ok(text.length <= MOST_BYTES, `${text.length} bytes`);
  const copies = text.split('A value was thrown that cannot be cloned').length - 1;
  assert.equal(copies, 2, 'the codec of errors: in the code of main, and in the text of the threads');
});

test('a profile of a worker names its functions, though their code is minified', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'threadwise-profile-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const script = `
    import { createPool } from '${import.meta.resolve('threadwise')}';
    const pool = createPool('data:text/javascript,export const echo = (value) => value', { threads: 1 });
    for (let i = 0; i < 20; i++)
      await Promise.all(Array.from({ length: 500 }, () => pool.run('echo', [{ tags: ['a', {}] }])));
    await pool.close();
  `;
  writeFileSync(join(dir, 'app.mjs'), script);
  const flags = ['--cpu-prof', '--cpu-prof-dir', join(dir, 'profiles'), '--cpu-prof-interval', '100'];
  const { status, stderr } = spawnSync(process.execPath, [...flags, join(dir, 'app.mjs')], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const names = readdirSync(join(dir, 'profiles'))
    .flatMap((file) => JSON.parse(readFileSync(join(dir, 'profiles', file), 'utf8')).nodes)
    .map(({ callFrame }) => callFrame)
    .filter(({ url, functionName }) => url.startsWith('[worker eval]') && functionName !== '')
    .map(({ functionName }) => functionName);
  assert.ok(names.length > 0);
  assert.deepEqual(
    names.filter((name) => /^#\w{1,2}$/.test(name)),
    [],
  );
});
