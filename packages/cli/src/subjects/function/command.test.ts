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

test('as many as are used at most are all of them; of more it says how they were chosen', async () => {
  const range = { kind: 'range', from: 1 } as const;
  assert.deepEqual(await taken({ ...range, to: 1000 }), [1000, 1000, 'all']);
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
    assert.deepEqual(await taken(files), [1000, 1000, 'all']);
    add(1000, 1500);
    assert.deepEqual(await taken(files), [1000, 1500, 'large files more often']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
