/** Isolation: which options go with processes, what is refused, and what is only a wish of the environment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkChanges, resolveOptions } from './options.js';

const context = (env: Record<string, string> = {}, hasProcesses = true) => ({
  choices: ['least-busy', 'random'],
  bind: <F>(callback: F) => callback,
  builtInName: () => undefined,
  hasSharedMemory: true,
  noProcesses: () => (hasProcesses ? undefined : 'on Windows'),
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

test('what the environment says wrongly is refused with processes, too', () => {
  for (const name of ['THREADWISE_TRANSPORT', 'THREADWISE_DISPATCH']) {
    assert.throws(() => resolveOptions({ isolation: 'process' }, context({ [name]: 'sharde' })), {
      code: 'ERR_OPTION',
      message: new RegExp(`'${name} \\(environment\\)': expected`),
    });
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
  assert.throws(isolated, {
    code: 'ERR_OPTION',
    message: /'isolation': expected 'thread' on Windows, got "process"/,
  });
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
    message: /THREADWISE_ISOLATION \(environment\)': expected 'thread', 'process', or 'process:2'/,
  });
});

const dividedInto = (isolation: unknown, given: object = {}, env: Record<string, string> = {}) => {
  const { division, threads, ...rest } = resolveOptions({ ...given, isolation }, context(env));
  return [rest.isolation, division.processes, division.threads, threads.min, threads.max];
};

test('processes with several workers each: the size is theirs, or as many as it takes', () => {
  const any = Number.POSITIVE_INFINITY;
  assert.deepEqual(dividedInto({ processes: 4, threads: 2 }), ['process', 4, 2, 8, 8]);
  assert.deepEqual(dividedInto({ processes: 4, threads: 1 }), ['process', 4, 1, 4, 4]);
  assert.deepEqual(dividedInto({ threads: 2 }, { threads: 3 }), ['process', any, 2, 3, 3]);
  assert.deepEqual(dividedInto({ threads: 2 }, { threads: { min: 1, max: 6 } }), ['process', any, 2, 1, 6]);
  const env = { THREADWISE_THREADS: '3', THREADWISE_ISOLATION: 'thread' };
  assert.deepEqual(dividedInto({ processes: 2, threads: 2 }, {}, env), ['process', 2, 2, 4, 4]);
  assert.deepEqual(dividedInto(undefined, { threads: 3 }, { THREADWISE_ISOLATION: 'process:2' }), [
    'process',
    any,
    2,
    3,
    3,
  ]);
  assert.deepEqual(dividedInto('process', { threads: 3 }), ['process', any, 1, 3, 3]);
});

test('a division that cannot be is refused, by its name', () => {
  for (const [isolation, message, given = {}] of [
    [{ processes: 2 }, /'isolation\.threads': expected a whole number from 1 to 1024, got undefined/],
    [{ processes: 0, threads: 2 }, /'isolation\.processes': expected a whole number from 1/],
    [{ processes: 2, threads: 1.5 }, /'isolation\.threads': expected a whole number/],
    [{ processes: 512, threads: 3 }, /'isolation': expected at most 1024 workers, got "512 × 3"/],
    [{ process: 2, threads: 3 }, /Unknown option 'isolation\.process'\. Did you mean 'processes'\?/],
    [null, /'isolation': expected an object, got null/],
    [{ processes: 2, threads: 2 }, /'threads': expected nothing with isolation \{.*got 4/, { threads: 4 }],
    [{ threads: 2 }, /'transport': expected 'message' with isolation 'process'/, { transport: 'shared' }],
  ] as const) {
    assert.throws(() => dividedInto(isolation, given), { code: 'ERR_OPTION', message });
  }
  for (const wrong of ['process:', 'process:0', 'process:x', '2x2']) {
    const resolve = () => dividedInto(undefined, {}, { THREADWISE_ISOLATION: wrong });
    assert.throws(resolve, { code: 'ERR_OPTION', message: /THREADWISE_ISOLATION \(environment\)/ }, wrong);
  }
});

test('a limit that is undefined is not given, as in what node:worker_threads takes', () => {
  const worker = { resourceLimits: { maxOldGenerationSizeMb: 64, stackSizeMb: undefined } };
  for (const isolation of ['thread', 'process'] as const) {
    const { resourceLimits } = resolveOptions({ isolation, worker }, context()).worker;
    assert.deepEqual({ ...resourceLimits }, { maxOldGenerationSizeMb: 64 });
  }
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
  const platform = { availableThreads: () => 1, threadCeiling: () => 1, env: () => undefined };
  const change = (isolation: 'thread' | 'process') =>
    checkChanges(
      { placement: 'inline' },
      { dispatch: 'direct', isolation, fixedSize: undefined },
      { platform, choices: [] },
    );
  assert.equal(change('thread').placement, 'inline');
  assert.throws(() => change('process'), { code: 'ERR_OPTION', message: /'placement': expected 'threads'/ });
});
