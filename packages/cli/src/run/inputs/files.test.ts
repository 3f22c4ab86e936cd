import assert from 'node:assert/strict';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { UsageError } from '../../exit-code.js';
import { openFiles } from './files.js';
import { type Done, type Input, nothingDone } from './input-source.js';

let folder: string;
const startedIn = process.cwd();

const tree = {
  'a.txt': '1',
  'a/one.txt': '22',
  'a/two.md': '333',
  'a-b/three.txt': '',
  '.hidden/x.txt': '',
  'a/.dot.txt': '',
  'b/c/deep.txt': '4444',
  'b/[id].txt': '',
  'node_modules/m/index.txt': '',
};

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'threadwise-files-'));
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  symlinkSync(join(folder, 'a.txt'), join(folder, 'link.txt'));
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling.txt'));
  symlinkSync(folder, join(folder, 'a', 'cycle'));
  process.chdir(folder);
});

after(() => {
  process.chdir(startedIn);
  rmSync(folder, { recursive: true });
});

function list(
  patterns: string[],
  { dot = false, done = nothingDone, ownFiles = [] as string[] } = {},
): Input[] {
  const source = openFiles({ patterns, dot, ownFiles });
  source.count!();
  const inputs = [...(source.read(done) as Iterable<Input[]>)].flat();
  if (done === nothingDone) assert.equal(source.total, inputs.length);
  return inputs;
}

const paths = (...args: Parameters<typeof list>): unknown[] => list(...args).map(({ value }) => value);
const failsWith = (patterns: string[], message: Pick<RegExp, 'test'>): void =>
  assert.throws(
    () => list(patterns),
    (error) => error instanceof UsageError && message.test(error.message),
  );

test('lists in path order, without dot files and symbolic links, node_modules included', () => {
  const expected = [
    'a/one.txt',
    'a-b/three.txt',
    'a.txt',
    'b/[id].txt',
    'b/c/deep.txt',
    'node_modules/m/index.txt',
  ];
  assert.deepEqual(paths(['**/*.txt']), expected);
  assert.deepEqual(paths(['./**/*.txt']), expected);
});

test('lists dot files with dot, or where the pattern spells the dot', () => {
  assert.ok(paths(['**'], { dot: true }).includes('.hidden/x.txt'));
  assert.ok(paths(['**'], { dot: true }).includes('a/.dot.txt'));
  assert.deepEqual(paths(['.hidden/*']), ['.hidden/x.txt']);
  assert.deepEqual(paths(['a/.*']), ['a/.dot.txt']);
});

test('gives a file that several patterns match once, in path order whatever the order of patterns', () => {
  assert.deepEqual(paths(['b/**', 'a/*', './a/one.txt', join(folder, 'a/two.md')]), [
    'a/one.txt',
    join(folder, 'a/two.md'),
    'b/[id].txt',
    'b/c/deep.txt',
  ]);
});

test('gives a file once that is named twice', () => {
  assert.deepEqual(paths(['a.txt', './a.txt']).length, 1);
});

test('takes the name of an existing file literally', () => {
  assert.deepEqual(paths(['b/[id].txt']), ['b/[id].txt']);
  assert.deepEqual(paths(['link.txt']), ['link.txt'], 'a link that was named is followed');
});

test('leaves out what ! excludes, without entering such directories', () => {
  assert.deepEqual(paths(['**/*.txt', '!node_modules/**', '!a*/**']), [
    'a.txt',
    'b/[id].txt',
    'b/c/deep.txt',
  ]);
  assert.deepEqual(paths(['b/**', '!b/*.txt']), ['b/c/deep.txt'], 'a single * excludes one level only');
});

test('matches braces, absolute patterns and patterns that lead upwards', () => {
  assert.deepEqual(paths(['{a,b/c}/*.txt']), ['a/one.txt', 'b/c/deep.txt']);
  assert.deepEqual(paths([`${folder}/b/**/d*`]), [join(folder, 'b/c/deep.txt')]);
  process.chdir('b');
  assert.deepEqual(paths(['../a/*.md']), ['../a/two.md']);
  process.chdir('..');
});

test('finds every name that a file can have', { skip: process.platform === 'win32' }, (t) => {
  const odd = [
    ...['a\nb', '\n', 'c\r', 'd\u2028e', 'f\u2029', 'g\\h'],
    ...['*?[x]{y}', 'q\'"', '\u{1f600}', ' ', '\t.txt', 'nul\u0001'],
  ];
  mkdirSync('odd/in\nner/deep', { recursive: true });
  t.after(() => rmSync('odd', { recursive: true }));
  const all = odd.flatMap((name) => [`odd/${name}`, `odd/in\nner/deep/${name}`]);
  for (const path of all) writeFileSync(path, '');
  const listed = (...patterns: string[]) => paths(patterns).sort();
  assert.deepEqual(listed('odd/**'), all.sort());
  const below = all.filter((path) => path.includes('deep'));
  for (const pattern of [
    ...['odd/*/**', 'odd/**/deep/*', 'odd/**/deep/**'],
    ...['odd/in?ner/*/*', 'odd/{x,in\nner}/**'],
  ]) {
    assert.deepEqual(listed(pattern), below, pattern);
  }
  const beside = all.filter((path) => !path.includes('deep'));
  assert.deepEqual(listed('odd/**', '!odd/in*/**'), beside);
  assert.deepEqual(
    listed('odd/**', '!**/*[\n]*', '!odd/in*/**'),
    all.filter((path) => !path.includes('\n')),
  );
});

test(
  'finds names with glob characters by patterns that escape them',
  { skip: process.platform === 'win32' },
  (t) => {
    const folders = ['[id]', '(app)', '{{name}}', '{a,b}', '!x', '@(a)'];
    t.after(() => rmSync('glob', { recursive: true }));
    for (const name of folders) {
      mkdirSync(`glob/${name}`, { recursive: true });
      writeFileSync(`glob/${name}/${name}.txt`, '');
    }
    mkdirSync('glob/i');
    writeFileSync('glob/i/i.txt', '');
    process.chdir('glob');
    try {
      for (const name of folders) {
        const file = `${name}/${name}.txt`;
        let advice = '';
        failsWith([name], {
          test: (message) => (advice = /use '(.*)' for the files in it$/.exec(message)?.[1] ?? '') !== '',
        });
        assert.deepEqual(paths([advice]), [file]);
        const escaped = file.replace(/[*?[\](){}]|^!/g, '\\$&');
        assert.deepEqual(paths([escaped]), [file]);
        assert.ok(!paths(['**', `!${escaped}`]).includes(file));
        assert.ok(!paths(['**', `!${advice}`]).includes(file));
      }
      assert.deepEqual(paths(['{{name}}/**']), ['{{name}}/{{name}}.txt']);
    } finally {
      process.chdir('..');
    }
  },
);

test('never lists what the run itself writes', () => {
  assert.deepEqual(paths(['a/*'], { ownFiles: ['a/two.md'] }), ['a/one.txt']);
});

test('knows the size of each file', () => {
  assert.deepEqual(
    list(['a/*']).map(({ bytes }) => bytes),
    [2, 3],
  );
});

test('goes on behind a mark by path, leaving out stretches that are done', () => {
  const key = (path: string): string => join(folder, path);
  const done: Done = { mark: key('a/two.md'), beyond: [[key('a.txt'), key('b/[id].txt')]] };
  assert.deepEqual(paths(['**/*.txt', '!node_modules/**'], { done }), ['a-b/three.txt', 'b/c/deep.txt']);
});

test('says what is wrong with a pattern', () => {
  failsWith(['a'], /'a' is a directory; use 'a\/\*\*'/);
  failsWith(['*.nothing'], /no file matches '\*\.nothing'/);
  failsWith(['**/*.txt', 'missing.txt'], /no file matches 'missing\.txt'/);
  failsWith(['dangling.txt'], /no file matches 'dangling\.txt'/);
  failsWith(['nowhere/**'], /no file matches/);
  failsWith(['a.txt', '!a.txt'], /^each file that 'a\.txt' matches is left out, .*: '!a\.txt' excludes it$/);
  failsWith(['a/*', '!a/**'], /^each .* is left out, such as 'a\/one\.txt': '!a\/\*\*' excludes it$/);
  failsWith(['*.nothing', '!**'], /no file matches '\*\.nothing'/);
  failsWith(['!a/**'], /expected a pattern that files can match/);
});

test('says that the only file is one that the command writes', () => {
  assert.throws(
    () => list(['a.txt'], { ownFiles: ['a.txt'] }),
    /^UsageError: each file that 'a\.txt' .*: the command writes it$/,
  );
});

test('a sample stands for all files', async () => {
  const source = openFiles({ patterns: ['**/*.txt'], dot: false, ownFiles: [] });
  let weight = 0;
  for await (const sampled of source.sample(100).inputs) weight += sampled.weight;
  assert.equal(weight, 6);
});

test('the total falls when a file that is read turns out to be one that the run writes, and not when sizes are looked up', () => {
  const source = openFiles({ patterns: ['a.txt'], dot: false, ownFiles: ['own.txt'] });
  linkSync('a.txt', 'own.txt');
  source.count!();
  assert.deepEqual([...(source.sample(100).inputs as Iterable<Input>)], []);
  assert.equal(source.total, 1);
  assert.deepEqual([...(source.read(nothingDone) as Iterable<Input[]>)].flat(), []);
  assert.equal(source.total, 0);
});
