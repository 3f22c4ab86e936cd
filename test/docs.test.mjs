// The code in README and docs runs: what a reader copies must work.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { reference } from '../scripts/reference.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...below('docs'),
  ...below('examples'),
  ...below('packages'),
];

function below(dir) {
  return readdirSync(join(root, dir), { recursive: true })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(dir, name));
}

/**
 * The JavaScript blocks of a page. A block's first line names its file: `// tasks.js`. A file whose name begins with
 * `main` is run; `// main.js → text` says what it must print last.
 */
function filesOf(text) {
  return [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => {
    const [, name, expected] = /^\/\/ (\S+\.(?:js|cjs|mjs))(?: → (.*))?\n/.exec(code) ?? [];
    assert.ok(name, `a block does not name its file: ${code.slice(0, 60)}`);
    return { name, code, expected };
  });
}

/** The headings of a page as links name them. */
function headingsOf(file) {
  const text = readFileSync(file, 'utf8').replaceAll(/^```[^]*?^```/gm, '');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('docs/reference.md says what the types say', () => {
  const written = readFileSync(join(root, 'docs/reference.md'), 'utf8');
  assert.equal(written, reference(), 'to be written anew: node scripts/reference.mjs');
});

for (const example of ['examples/04-in-a-container', 'examples/15-fleet']) {
  test(`${example}/README.md: its commands pack what the image is built from, where nothing was packed before`, (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'threadwise-docs-'));
    t.after(() => rmSync(dir, { recursive: true }));
    const vendor = join(dir, 'vendor');
    const commands = readFileSync(join(root, example, 'README.md'), 'utf8').match(/^.*\/vendor$/gm);
    const script = commands.join('\n').replaceAll(`${example}/vendor`, vendor);
    const { stderr, status } = spawnSync('sh', ['-e', '-c', script], { cwd: root, encoding: 'utf8' });
    assert.equal(status, 0, `${script}\n${stderr}`);
    assert.equal(readdirSync(vendor).filter((name) => name.endsWith('.tgz')).length, 2);
  });
}

for (const page of pages) {
  const text = readFileSync(join(root, page), 'utf8');
  const files = filesOf(text);

  if (files.length > 0) {
    test(`${page}: its code runs`, (t) => {
      const dir = mkdtempSync(join(tmpdir(), 'threadwise-docs-'));
      t.after(() => rmSync(dir, { recursive: true }));
      writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
      symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
      for (const { name, code, expected } of files) {
        writeFileSync(join(dir, name), code);
        if (!name.startsWith('main')) continue;
        const { stdout, stderr, status } = spawnSync(process.execPath, [name], {
          cwd: dir,
          encoding: 'utf8',
        });
        assert.equal(status, 0, `${name}: ${stderr}`);
        if (expected !== undefined)
          assert.equal(stdout.trim().split('\n').at(-1), expected, `${name} of ${page}`);
      }
    });
  }

  test(`${page}: its links lead somewhere`, () => {
    const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)]*))?\)/g)];
    const dead = links.filter(([, link, heading]) => {
      const file = link === '' ? join(root, page) : resolve(root, dirname(page), link);
      if (!existsSync(file)) return true;
      return heading !== undefined && file.endsWith('.md') && !headingsOf(file).has(heading);
    });
    assert.deepEqual(
      dead.map(([link]) => link),
      [],
    );
  });
}
