/** Isolation: which options go with processes, what is refused, and what is only a wish of the environment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkChanges, resolveOptions } from './options.js';

const context = (env: Record<string, string> = {}, hasProcesses = true) => ({
  choices: ['least-busy', 'random'],
  builtInName: () => undefined,
  hasSharedMemory: true,
  hasProcesses,
  availableThreads: () => 8,
  threadCeiling: () => 128,
  env: (name: string) => env[name],
});

test('processes get messages, and main chooses who gets them, whatever the environment wishes', () => {
  const env = { THREADWISE_TRANSPORT: 'shared', THREADWISE_DISPATCH: 'coordinator' };
  for (const given of [{}, { transport: 'auto' }, { transport: 'message', dispatch: 'direct' }]) {
    const { isolation, transport, dispatch } = resolveOptions(
      { ...given, isolation: 'process' },
      context(env),
    );
    assert.deepEqual([isolation, transport, dispatch], ['process', 'message', 'direct']);
  }
});

const REFUSED: readonly (readonly [Record<string, unknown>, RegExp])[] = [
  [{ transport: 'shared' }, /'transport': expected 'message' with isolation 'process'.*got "shared"/],
  [{ dispatch: 'coordinator' }, /'dispatch': expected 'direct' with isolation 'process', got "coordinator"/],
  [{ dispatch: 'shared-queue' }, /'dispatch': expected 'direct'/],
  [{ placement: 'auto' }, /'placement': expected 'threads' with isolation 'process', got "auto"/],
  [{ worker: { env: Symbol('share') } }, /'worker\.env': expected an object with isolation 'process'/],
  [{ worker: { resourceLimits: { stackSizeMb: 8 } } }, /'worker\.resourceLimits'.*got "stackSizeMb"/],
];

test('what does not go with processes is refused, and says what does', () => {
  for (const [given, message] of REFUSED) {
    assert.throws(() => resolveOptions({ ...given, isolation: 'process' }, context()), {
      code: 'ERR_OPTION',
      message,
    });
  }
  const isolated = () => resolveOptions({ isolation: 'process' }, context({}, false));
  assert.throws(isolated, { code: 'ERR_OPTION', message: /'isolation': expected 'thread' on this system/ });
});

test('THREADWISE_ISOLATION is a wish: what the code says goes before it', () => {
  const env = { THREADWISE_ISOLATION: 'process' };
  const isolationOf = (given: object, hasProcesses = true) =>
    resolveOptions(given, context(env, hasProcesses)).isolation;
  assert.equal(isolationOf({}), 'process');
  assert.equal(isolationOf({ isolation: 'thread' }), 'thread');
  assert.equal(isolationOf({}, false), 'thread');
  for (const [given] of REFUSED) assert.equal(isolationOf(given), 'thread');
  assert.throws(() => resolveOptions({}, context({ THREADWISE_ISOLATION: 'fibre' })), {
    code: 'ERR_OPTION',
    message: /THREADWISE_ISOLATION \(environment\)/,
  });
});

test('a working directory is for processes only', () => {
  const worker = { cwd: '/tmp' };
  assert.equal(resolveOptions({ isolation: 'process', worker }, context()).worker.cwd, '/tmp');
  assert.throws(() => resolveOptions({ worker }, context()), {
    code: 'ERR_OPTION',
    message: /'worker\.cwd'.*isolation 'thread'/,
  });
});

test('a running pool of processes does not begin to run tasks on the calling thread', () => {
  const platform = { availableThreads: () => 1, threadCeiling: () => 1 };
  const change = (isolation: string) =>
    checkChanges({ placement: 'inline' }, { platform, choices: [] }, { dispatch: 'direct', isolation });
  assert.equal(change('thread').placement, 'inline');
  assert.throws(() => change('process'), { code: 'ERR_OPTION', message: /'placement': expected 'threads'/ });
});
