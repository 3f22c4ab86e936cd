/** `threadwise analyze files` as a user starts it: what is measured, that what was read is right, what it refuses. Never who is faster. */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { measureFolder } from '../dist/subjects/folder/measure/measure.js';
import { analyzeFolder } from '../dist/subjects/folder/rules/analyze.js';
import { run, start, temporaryFolder } from './command.mjs';

const WAYS = [
  'sync-loop',
  'sync-chain',
  'async-chain',
  'sync-all',
  'async-all',
  'processes',
  'read-files',
  'workers',
  'workers-read-files',
  'workers-return',
];

/** @param sizes how many files of how many bytes */
function folderOf(sizes) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'inner'));
  for (const [bytes, count] of Object.entries(sizes)) {
    for (let i = 0; i < count; i++) {
      writeFileSync(
        join(folder, i % 2 === 0 ? 'inner' : '.', `${bytes}-${i}`),
        Buffer.alloc(Number(bytes), i),
      );
    }
  }
  return folder;
}

const analyze = (args, options) => run(['analyze', 'files', ...args], options);
const isNumberOrHole = (value) => value === null || (typeof value === 'number' && value >= 0);

test('a class of sizes that could not be read is named by both of its ends', async () => {
  const folder = folderOf({ 100: 2, 10000: 1 });
  const controller = new AbortController();
  const { signal } = controller;
  const plan = { folder, patterns: [], dot: false, ownFiles: [], budgetMs: 20_000, cold: false, signal };
  const progress = ({ what }) => {
    // It was found, and is gone when it is read.
    if (what === 'reading for the first time') rmSync(join(folder, 'inner/10000-0'), { force: true });
    if (what === 'starting') controller.abort();
  };
  const { skipped, classes } = await measureFolder(plan, { progress });
  assert.equal(classes.length, 1);
  assert.deepEqual(skipped, [{ what: 'files 4 KiB to 64 KiB', why: 'none of them could be read' }]);
});

test('files that vanish while they are measured are counted, each once', async () => {
  const folder = folderOf({ 100: 3 });
  const { signal } = new AbortController();
  const plan = { folder, patterns: [], dot: false, ownFiles: [], budgetMs: 20_000, cold: false, signal };
  const progress = ({ what }) => {
    if (what === 'round 1') rmSync(folder, { recursive: true });
  };
  const { subject, classes } = await measureFolder(plan, { progress });
  assert.deepEqual(subject.unreadable, [{ why: 'no such file or directory', count: 3 }]);
  assert.equal(classes[0].sampled.files, 0);
});

test('each class of sizes is measured in all ways, and each of them reads what is there', async () => {
  const folder = folderOf({ 0: 3, 100: 40, 100000: 6, 2000000: 2 });
  symlinkSync('..', join(folder, 'inner/loop'));
  const reports = temporaryFolder();
  const files = ['report.json', 'deep/er/report.html', 'report.md'].map((name) => join(reports, name));
  const { code, stdout, stderr } = await analyze([
    folder,
    '--budget',
    '4s',
    '--threads',
    '2',
    ...files.flatMap((file) => ['--out', file]),
  ]);
  assert.equal(code, 0, stderr);
  const report = JSON.parse(readFileSync(files[0], 'utf8'));
  const { sentence } = report.verdict;
  assert.match(sentence, /^(Read files|Cannot tell(:| whether | of ))/);
  // The terminal begins with the whole sentence, wrapped to its width.
  assert.ok(stdout.replace(/\s+/g, ' ').startsWith(sentence), stdout);
  assert.equal(report.schemaVersion, 1);
  assert.ok(
    ['workers', 'processes', 'sync', 'async', 'either', 'mixed', 'unknown'].includes(report.verdict.answer),
  );
  assert.equal(report.samples.subject.files, 51);
  assert.equal(report.samples.subject.bytes, 40 * 100 + 6 * 100000 + 2 * 2000000);
  assert.equal(report.samples.subject.left.links, 1);
  assert.equal(report.samples.threads, 2);
  assert.deepEqual(
    report.samples.classes.map(({ fromBytes, files: count }) => [fromBytes, count]),
    [
      [0, 43],
      [2 ** 16, 6],
      [2 ** 20, 2],
    ],
  );
  report.samples.classes.forEach(({ warm, batch, sampled }, i) => {
    assert.deepEqual(
      warm.ways.map(({ name }) => name),
      WAYS,
    );
    for (const { name, rate, readBytes, loopDelayMs, busy } of warm.ways) {
      assert.equal(readBytes, batch.bytes, name);
      assert.ok(rate.length === warm.control.length && rate.every(isNumberOrHole), name);
      assert.ok(loopDelayMs.every(isNumberOrHole), name);
      assert.ok(
        busy.flat().every((share) => share >= 0 && share <= 1),
        name,
      );
    }
    assert.ok(sampled.files > 0 && batch.files > 0);
    assert.equal(report.classes[i].ways.length, WAYS.length);
  });
  assert.match(readFileSync(files[1], 'utf8'), /^<!doctype html>[\s\S]*Files below 4 KiB/);
  assert.ok(readFileSync(files[2], 'utf8').includes('## By size'));
});

test('one file; only what matches; its own report is not measured', async () => {
  const folder = folderOf({ 5000: 1, 70: 2 });
  const file = join(folder, 'report.json');
  const { code, stderr } = await analyze([
    folder,
    '--match',
    '5000-*',
    '**/5000-*',
    '--budget',
    '2s',
    '--out',
    file,
  ]);
  assert.equal(code, 0, stderr);
  const { samples } = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual([samples.subject.files, samples.classes[0].batch.repeatsFiles], [1, true]);
});

/** It makes sure that it can write its report before it looks for files. */
function begun(folder) {
  return new Promise((resolve) => {
    const watcher = watch(folder, () => {
      watcher.close();
      resolve();
    });
  });
}

test('files that vanish while they are measured are no error', async () => {
  const folder = folderOf({ 100: 30 });
  const reports = temporaryFolder();
  const report = join(reports, 'report.json');
  const args = ['analyze', 'files', folder, '--budget', '3s', '--out', report];
  const { ended } = start(args, { input: '' });
  await begun(reports);
  rmSync(join(folder, 'inner'), { recursive: true });
  const { code, stderr } = await ended;
  assert.equal(code, 0, stderr);
  const [small] = JSON.parse(readFileSync(report, 'utf8')).samples.classes;
  assert.equal(small.sampled.files, 15);
  assert.equal(small.warm.ways.length, WAYS.length);
});

test('Ctrl-C tells what is known so far: exit code 130', async () => {
  const folder = folderOf({ 100: 5 });
  const reports = temporaryFolder();
  const report = join(reports, 'report.json');
  const { child, ended } = start(['analyze', 'files', folder, '--budget', '5m', '--out', report], {
    input: '',
  });
  await begun(reports);
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  assert.equal(code, 130);
  assert.match(stdout, /^Cannot tell: /);
  assert.equal(JSON.parse(readFileSync(report, 'utf8')).samples.isCutShort, true);
});

for (const [args, expected] of [
  [[], /missing required argument 'folder'/],
  [['./none'], /cannot read folder '\.\/none': no such file or directory/],
  [[import.meta.filename], /expected a folder, got the file/],
  [['.', '--budget', '1s'], /--budget: expected at least 2s, got 1 s/],
  [['.', '--budget', 'soon'], /Expected a time/],
  [['.', '--threads', '1-4'], /Expected a number from 1 to 1024\./],
  [['.', '--out', 'report.pdf'], /ends in \.json, \.html, \.md, got 'report\.pdf'/],
  [['.', '--match', 'no-such-*'], /expected at least one file that matches no-such-\* in '\.', got none/],
]) {
  test(`refused with exit code 2: ${args.join(' ').replace(/\S*\//, '')}`, async () => {
    const { code, stdout, stderr } = await analyze(args);
    assert.equal(code, 2, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, expected);
  });
}

test('an empty folder is refused, with what was left out', async () => {
  const folder = temporaryFolder();
  symlinkSync('.', join(folder, 'link'));
  const server = createServer().listen(join(folder, 'socket'));
  const { code, stderr } = await analyze([folder]);
  server.close();
  assert.equal(code, 2);
  assert.match(
    stderr,
    /expected at least one file in .*got none \(symbolic links are not followed: 1; sockets, FIFOs and devices are not read: 1; /,
  );
  const all = await analyze([temporaryFolder(), '--dot']);
  assert.equal(all.code, 2);
  assert.match(all.stderr, /got none$/m);
});

test('a folder that was not looked at, since somebody ended it, is not said to have no files', async () => {
  const plan = { folder: temporaryFolder(), patterns: [], dot: false, ownFiles: [], threads: 1, cold: false };
  const events = { progress() {} };
  const samples = await measureFolder({ ...plan, budgetMs: 60_000, signal: AbortSignal.abort() }, events);
  const { verdict, warnings } = analyzeFolder(samples);
  assert.match(verdict.sentence, /^Cannot tell/);
  assert.ok(warnings.some((text) => /somebody ended the command/.test(text)));
});

test('of a folder that somebody ended before a file was read, it is not said that none could be read', async () => {
  const plan = { patterns: [], dot: false, ownFiles: [], threads: 1, cold: false, budgetMs: 60_000 };
  const controller = new AbortController();
  const progress = ({ what }) => what === 'reading for the first time' && controller.abort();
  const folder = folderOf({ 100: 3 });
  const samples = await measureFolder({ ...plan, folder, signal: controller.signal }, { progress });
  assert.deepEqual([samples.classes, samples.skipped, samples.isCutShort], [[], [], true]);
});

test('a report that cannot be written is told before anything is measured: exit code 1', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'taken.json'));
  const { code, stdout, stderr } = await analyze(['.', '--out', join(folder, 'taken.json')]);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /cannot write .*taken\.json: it is a directory/);
});
