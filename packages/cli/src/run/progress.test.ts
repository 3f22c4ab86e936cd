/** What the progress of a run writes to a terminal. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { noCounts } from './inputs/input-source.js';
import { resolveRunOptions } from './options.js';
import { startProgress } from './progress.js';

/** What stands on standard error after two seconds on a terminal of this kind. */
async function writtenOn(term: string): Promise<string> {
  const { stderr, env } = process;
  const [before, old] = [Object.getOwnPropertyDescriptor(stderr, 'isTTY'), env.TERM];
  let written = '';
  const write = mock.method(stderr, 'write', (text: string) => (written += text) !== '');
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    Object.defineProperty(stderr, 'isTTY', { value: true, configurable: true });
    env.TERM = term;
    const options = resolveRunOptions('tasks.js', { range: { from: 1, to: 9 }, out: 'results' }, true);
    const end = await startProgress(options, { total: 9 }, noCounts, () => ({ ...noCounts, inputs: 3 }));
    mock.timers.tick(2000);
    end();
    return written;
  } finally {
    mock.timers.reset();
    write.mock.restore();
    if (old === undefined) delete env.TERM;
    else env.TERM = old;
    if (before === undefined) Reflect.deleteProperty(stderr, 'isTTY');
    else Object.defineProperty(stderr, 'isTTY', before);
  }
}

test('a bar, and lines where the terminal can only print', async () => {
  assert.ok((await writtenOn('xterm')).includes('\x1b['));
  assert.match(await writtenOn('dumb'), /^3 of 9 \| .*\n$/);
});
