/** How many inputs there are, which of them the function is measured with, and what the report says of that. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { takeInputs } from './command.js';

async function taken(input: Parameters<typeof takeInputs>[0]) {
  const { inputs, inputCount, inputsHow } = await takeInputs(input);
  return [inputs.length, inputCount, inputsHow];
}

test('where all are used it says nothing of how they were chosen; of more than are used at most it does', async () => {
  const range = { kind: 'range', from: 1 } as const;
  assert.deepEqual(await taken({ ...range, to: 1000 }), [1000, 1000, '']);
  assert.deepEqual(await taken({ ...range, to: 1001 }), [1000, 1001, 'spread evenly over the range']);
});

test('so it is with files, which are listed twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-inputs-'));
  try {
    const files = { kind: 'files', patterns: [join(folder, '*')], dot: false } as const;
    const add = (from: number, to: number): void => {
      for (let i = from; i < to; i++) writeFileSync(join(folder, `${i}`), '');
    };
    add(0, 1000);
    assert.deepEqual(await taken(files), [1000, 1000, '']);
    add(1000, 1500);
    assert.deepEqual(await taken(files), [1000, 1500, 'large files more often']);
    // One that has nearly all bytes makes the sample smaller.
    writeFileSync(join(folder, '0'), Buffer.alloc(2 ** 20));
    const [used, ...others] = await taken(files);
    assert.ok(Number(used) < 1000, `${used}`);
    assert.deepEqual(others, [1500, 'large files more often']);
    const read = { ...files, patterns: [join(folder, '1')], read: true } as const;
    assert.deepEqual(await taken(read), [1, 1, "the argument is the file's content"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('of large values as many are used as can soon be sent to a process, and one at least', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-inputs-'));
  try {
    const file = join(folder, 'lines');
    const write = (lines: number, bytes: number): void =>
      writeFileSync(file, Buffer.alloc(lines * bytes, `${'x'.repeat(bytes - 1)}\n`));
    const lines = { kind: 'lines', file } as const;
    write(20, 2 ** 20);
    assert.deepEqual(await taken(lines), [8, 8, 'from the beginning']);
    write(7, 2 ** 20);
    assert.deepEqual(await taken(lines), [7, 7, '']);
    write(2, 9 * 2 ** 20);
    assert.deepEqual(await taken(lines), [1, 1, 'from the beginning']);
    const files = { kind: 'files', patterns: [file], dot: false } as const;
    assert.deepEqual(await taken(files), [1, 1, '']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
