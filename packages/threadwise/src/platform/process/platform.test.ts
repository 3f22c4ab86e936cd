/** Processes of Node as workers: what all platforms promise, and what only processes have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Platform } from '../../core/contracts.js';
import { platformConformance } from '../platform.case.js';
import { boardsInOneFile, newFileBoard } from './board.js';
import { farPortOf } from './loopback.case.js';
import { inherited } from './node-process.js';
import { processesFor, processPlatform } from './platform.js';
import { type PipePort, pipePort } from './port.js';

const opened = new WeakSet<PipePort>();

/** The platform with both ends of a channel in this process, for the tests of channels, which start no worker. */
const platform: Platform = {
  ...processPlatform,
  channelEnds: () => {
    const near = pipePort();
    const far = farPortOf(near);
    opened.add(near).add(far);
    return [near, far];
  },
  port: (far) => (opened.has(far as PipePort) ? (far as PipePort) : farPortOf(far as PipePort)),
};

platformConformance(platform, () => newFileBoard(1).memory);

/** Each test starts one thread, in a process that may still have the threads of other tests. */
const { spawn } = processesFor({ threads: 3, processes: 1 }).platform;
const newBoard = boardsInOneFile();
platformConformance({ ...platform, name: 'process-shared', spawn }, () => newBoard(1).memory);

test('platform process: what cannot be sent to a process is refused, and nothing is moved', () => {
  const { near } = processPlatform.channel();
  const { port1 } = new MessageChannel();
  const buffer = new ArrayBuffer(8);
  const gone = new ArrayBuffer(8);
  structuredClone(gone, { transfer: [gone] });
  for (const [value, transfer] of [
    [new SharedArrayBuffer(4), []],
    [new Uint8Array(new SharedArrayBuffer(4)), []],
    [port1, []],
    [port1, [port1]],
    [buffer, [buffer, port1]],
    [buffer, [buffer, buffer]],
    [buffer, [buffer, gone]],
    [[buffer, () => 1], [buffer]],
  ] as const) {
    assert.throws(() => processPlatform.clone(value, transfer), { name: 'DataCloneError' });
    if (transfer.length !== 2 || transfer[1] !== transfer[0])
      assert.throws(() => near.post(value, transfer), { name: 'DataCloneError' });
    assert.equal(buffer.byteLength, 8);
  }
  port1.close();
  near.close();
});

test('platform process: options for the main program alone are not handed on, nor are their values', () => {
  const kept = ['--input-type=module', '--import', './x.mjs', '-r', './x.cjs', '-C', 'dev'];
  const own = ['--inspect-brk=9229', '--inspect-port', '0', '--test-reporter', 'spec', '--watch-path', '.'];
  const options = ['--test', ...kept, ...own, '-e', 'evaluated', '--watch', '-p'];
  assert.deepEqual(inherited(options), kept);
});
