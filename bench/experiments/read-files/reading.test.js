import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { contenders } from '../../catalog.js';
import { twoFiles } from '../../fixtures/two-files.js';
import { Checker } from './checking.js';
import { loadsOf } from './core-load.js';
import { batched, oneByOne } from './in-workers.js';
import * as ways from './ways.js';

function withFiles(t) {
  const { given, remove } = twoFiles.make();
  t.after(remove);
  return given;
}

test('two files, of the published sizes', (t) => {
  const { small, large } = withFiles(t);
  assert.deepEqual([readFileSync(small.path).length, readFileSync(large.path).length], [3300, 6_500_000]);
});

test('contents that are wrong, or cut short, do not count', (t) => {
  const { small } = withFiles(t);
  const content = readFileSync(small.path);
  const checker = new Checker(small.probes);
  checker.onContent(content);
  checker.onContent(content.subarray(1));
  const changed = Buffer.from(content);
  changed[0]++;
  checker.onContent(changed);
  checker.onContent(Buffer.alloc(0));
  assert.equal(checker.checked, 1);
  checker.onChecked(2);
  checker.expect(3);
  assert.throws(() => checker.expect(4), /contents that were read, and right/);
});

for (const [name, read] of Object.entries(ways)) {
  test(`${name}: reads as often as asked for`, async (t) => {
    const { small } = withFiles(t);
    for (const times of [1, 7]) {
      const checker = new Checker(small.probes);
      const { onContent, onChecked } = checker;
      const opened = await read({ ...small, times, onContent, onChecked });
      checker.expect(times);
      await opened?.close?.();
    }
  });
}

test('in workers: one read a call, and many', async (t) => {
  const { small } = withFiles(t);
  const pool = await (await contenders()).find(({ id }) => id === 'threadwise').open({ threads: 2 });
  try {
    for (const read of [oneByOne, batched]) {
      for (const times of [1, 130]) {
        const checker = new Checker(small.probes);
        await read(pool, { ...small, threads: 2, times, onChecked: checker.onChecked });
        checker.expect(times);
      }
    }
  } finally {
    await pool.close();
  }
});

test('the load of cores is the share of time in which they did something', () => {
  const looks = [
    [
      { busy: 100, idle: 0 },
      { busy: 0, idle: 100 },
    ],
    [
      { busy: 150, idle: 50 },
      { busy: 0, idle: 200 },
    ],
    [
      { busy: 250, idle: 50 },
      { busy: 40, idle: 260 },
    ],
  ];
  assert.deepEqual(loadsOf(looks), {
    coresPercent: (75 + 20) / 2,
    busiestPercent: 75,
    overTime: [
      [50, 0],
      [100, 40],
    ],
  });
});

test('where the clock of the system did not move there is no load', () => {
  const look = [{ busy: 1, idle: 1 }];
  assert.deepEqual(loadsOf([look, look]), { overTime: [[undefined]] });
});
