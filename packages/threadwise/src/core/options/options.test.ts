/** Options: what is refused and how the message helps, what the environment may decide, what the defaults are. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import {
  checkChanges,
  type OptionContext,
  type PoolOptions,
  resolveOptions,
  threadBounds,
} from './options.js';
import { defaultRun, resolveRun } from '../calls/run-options.js';
import { FakePlatform } from '../fake-platform.case.js';

function context(env: Record<string, string> = {}): OptionContext {
  return {
    choices: ['least-busy', 'random'],
    bind: (callback) => callback,
    builtInName: (choose) => (typeof choose === 'string' ? choose : undefined),
    hasSharedMemory: true,
    noProcesses: () => undefined,
    availableThreads: () => 8,
    threadCeiling: () => 128,
    env: (name) => env[name],
  };
}

const resolve = (given: unknown, env?: Record<string, string>) => resolveOptions(given, context(env));
const defaults = defaultRun(resolve({ timeoutMs: 700, retries: 2 }));
const run = (given: unknown) => resolveRun(given, defaults, new FakePlatform());

/** Each entry: options that are refused, and what the message must say. */
function refuses(cases: readonly (readonly [unknown, RegExp])[], check: (given: unknown) => unknown): void {
  for (const [given, message] of cases) {
    assert.throws(() => check(given), { code: 'ERR_OPTION', name: 'TypeError', message });
  }
}

describe('options of a pool', () => {
  test('have defaults that need no configuration', () => {
    const { host, worker, ...rest } = resolve(undefined);
    assert.deepEqual(rest, {
      name: undefined,
      threads: { min: 1, max: 128, cores: 8, usualMax: 8 },
      transport: 'shared',
      classes: [],
      dispatch: 'shared-queue',
      placement: 'threads',
      loopBudgetMs: 5,
      choose: 'least-busy',
      tasksPerWorker: 1,
      isolation: 'thread',
      division: { processes: Number.POSITIVE_INFINITY, threads: 1 },
      fixedSize: undefined,
      queue: { limit: Number.POSITIVE_INFINITY },
      timeoutMs: undefined,
      retries: 0,
      idleTimeoutMs: 30_000,
      onTaskStart: undefined,
      onTaskEnd: undefined,
    });
    assert.equal(host.size, 0);
    const { recycle, startTimeoutMs, ...settings } = worker;
    assert.deepEqual(recycle, {
      afterTasks: Number.POSITIVE_INFINITY,
      aboveMemoryMiB: Number.POSITIVE_INFINITY,
    });
    assert.equal(startTimeoutMs, 10_000);
    assert.ok(Object.values(settings).every((value) => value === undefined));
  });

  test('that are given as undefined are the defaults', () => {
    const keys = ['name', 'threads', 'choose', 'queue', 'worker', 'timeoutMs', 'idleTimeoutMs', 'host'];
    assert.deepEqual(resolve(Object.fromEntries(keys.map((key) => [key, undefined]))), resolve({}));
  });

  test('may lie in an object of any class, or in a module', async () => {
    const url = 'data:text/javascript,export const retries = 3';
    const inModule: unknown = await import(url);
    class Settings {
      retries = 3;
    }
    for (const given of [
      inModule,
      new Settings(),
      Object.assign(Object.create(null) as object, { retries: 3 }),
    ])
      assert.equal(resolve(given as object).retries, 3);
  });

  test('are resolved once and for all: Infinity as none', () => {
    const options = resolve({
      queue: { limit: 0 },
      timeoutMs: Number.POSITIVE_INFINITY,
      idleTimeoutMs: Number.POSITIVE_INFINITY,
      worker: { recycle: { aboveMemoryMiB: 3 }, startTimeoutMs: Number.POSITIVE_INFINITY },
    });
    assert.equal(options.queue.limit, 0);
    assert.equal(options.timeoutMs, undefined);
    assert.equal(options.idleTimeoutMs, undefined);
    assert.equal(options.worker.recycle.aboveMemoryMiB, 3);
    assert.equal(options.worker.startTimeoutMs, 2 ** 31 - 1, 'the longest timer there is');
  });

  test('with an unknown name are refused with the nearest known one and all the others', () => {
    refuses(
      [
        [{ thread: 4 }, /Unknown option 'thread'\. Did you mean 'threads'\? Known: name, threads, /],
        [{ queue: { limits: 1 } }, /'queue\.limits'\. Did you mean 'limit'\?/],
        [{ worker: { dat: 1 } }, /'worker\.dat'\. Did you mean 'data'\?/],
        [
          { worker: { recycle: { afterTask: 1 } } },
          /'worker\.recycle\.afterTask'\. Did you mean 'afterTasks'/,
        ],
        [{ threads: { maximum: 4 } }, /'threads\.maximum'.*Known: min, max/],
        [{ worker: { resourceLimits: { maxOldGenerationSizeMB: 1 } } }, /'maxOldGenerationSizeMb'\?/],
      ],
      resolve,
    );
    assert.throws(
      () => resolve({ zzzzzzzz: 1 }),
      (error: Error) => !error.message.includes('mean'),
    );
  });

  test('in the wrong place are refused with the place where they belong', () => {
    for (const [given, path] of [
      ['env', 'worker.env'],
      ['data', 'worker.data'],
      ['resourceLimit', 'worker.resourceLimits'],
      ['startTimeoutMs', 'worker.startTimeoutMs'],
      ['limit', 'queue.limit'],
      ['afterTasks', 'worker.recycle.afterTasks'],
    ] as const) {
      const message = new RegExp(`Unknown option '${given}'\\. Did you mean '${path}'\\? Known: name, `);
      refuses([[{ [given]: 1 }, message]], resolve);
    }
    refuses([[{ worker: { aboveMemoryMiB: 1 } }, /Did you mean 'recycle\.aboveMemoryMiB'\?/]], resolve);
    refuses([[{ 'queue.limit': 1 }, /Did you mean { queue: { limit: \.\.\. } }\? Known: name, /]], resolve);
    const options = resolve({});
    const change = (given: unknown) =>
      checkChanges(given, options, { platform: context(), choices: ['random'] });
    refuses([[{ limit: 1 }, /Did you mean 'queue\.limit'\? Known: threads, /]], change);
  });

  test('of the wrong type are refused: the message says which, what was expected and what came', () => {
    refuses(
      [
        ['fast', /'options': expected an object, got "fast"/],
        [[], /'options': expected an object, got an array of 0/],
        [null, /'options': expected an object, got null/],
        [new Map([['threads', 2]]), /'options': expected an object, got an instance of Map/],
        [{ name: 5 }, /'name': expected a string, got 5/],
        [{ name: '' }, /'name'/],
        [{ threads: '4' }, /'threads': expected a number, \{ min, max \} or 'auto', got "4"/],
        [{ threads: null }, /'threads'.*got null/],
        [{ threads: { max: null } }, /'threads\.max'.*got null/],
        [{ tasksPerWorker: null }, /'tasksPerWorker'.*got null/],
        [{ queue: null }, /'queue'.*got null/],
        [{ retries: null }, /'retries'.*got null/],
        [{ classes: null }, /'classes'.*got null/],
        [{ idleTimeoutMs: null }, /'idleTimeoutMs'.*got null/],
        [{ worker: null }, /'worker'.*got null/],
        [{ worker: { recycle: null } }, /'worker\.recycle'.*got null/],
        [{ worker: { startTimeoutMs: null } }, /'worker\.startTimeoutMs'.*got null/],
        [{ tasksPerWorker: '2' }, /'tasksPerWorker': expected a whole number from 1 to 1024, got "2"/],
        [{ tasksPerWorker: 2n }, /got 2n/],
        [{ queue: 5 }, /'queue': expected an object, got 5/],
        [{ choose: 5 }, /'choose': expected a strategy, its name, or a function, got 5/],
        [{ choose: { name: 'mine' } }, /'choose'.*got an object \(name\)/],
        [{ worker: { argv: 'x' } }, /'worker\.argv': expected an array, got "x"/],
        [{ worker: { execArgv: [1] } }, /'worker\.execArgv': expected an array of strings/],
        [{ host: 'x' }, /'host': expected an object of functions/],
        [{ host: { log: 5 } }, /'host\.log': expected a function, got 5/],
      ],
      resolve,
    );
  });

  test('that are numbers refuse NaN, negatives, fractions and what is out of range', () => {
    const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;
    refuses(
      [
        [{ threads: nan }, /'threads'.*got NaN/],
        [{ threads: 0 }, /'threads': expected a whole number from 1 to 1024, got 0/],
        [{ threads: -1 }, /got -1/],
        [{ threads: 1.5 }, /got 1\.5/],
        [{ threads: infinity }, /got Infinity/],
        [{ threads: 1025 }, /got 1025/],
        [{ threads: { min: -1 } }, /'threads\.min': expected a whole number from 0/],
        [{ threads: { max: 0 } }, /'threads\.max': expected a whole number from 1/],
        [{ tasksPerWorker: 0 }, /'tasksPerWorker'/],
        [{ queue: { limit: -1 } }, /'queue\.limit': expected a whole number of at least 0, got -1/],
        [{ queue: { limit: nan } }, /got NaN/],
        [{ timeoutMs: 0 }, /'timeoutMs': expected milliseconds from 1 to 2147483647, or Infinity, got 0/],
        [{ timeoutMs: nan }, /got NaN/],
        [{ timeoutMs: 2 ** 31 }, /got 2147483648/],
        [{ idleTimeoutMs: -1 }, /'idleTimeoutMs'/],
        [{ retries: 0.5 }, /'retries'/],
        [{ retries: infinity }, /'retries'/],
        [{ worker: { startTimeoutMs: 0 } }, /'worker\.startTimeoutMs'/],
        [{ worker: { recycle: { afterTasks: 0 } } }, /'worker\.recycle\.afterTasks'/],
        [
          { worker: { resourceLimits: { stackSizeMb: 0 } } },
          /'worker\.resourceLimits\.stackSizeMb'.*above 0/,
        ],
      ],
      resolve,
    );
  });

  test('refuse every number but whole ones from 1 to 1024 as a number of threads', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer()), (threads) => {
        if (Number.isInteger(threads) && threads >= 1 && threads <= 1024) {
          assert.deepEqual(resolve({ threads }).threads, { min: threads, max: threads, cores: threads });
        } else assert.throws(() => resolve({ threads }), { code: 'ERR_OPTION' });
      }),
    );
  });

  test('go the shared way where memory can be shared, unless another is asked for', () => {
    const crossing = (given: PoolOptions, env: Record<string, string> = {}, hasSharedMemory = true) => {
      const { transport, dispatch } = resolveOptions(given, { ...context(env), hasSharedMemory });
      return [transport, dispatch];
    };
    assert.deepEqual(crossing({}), ['shared', 'shared-queue']);
    assert.deepEqual(crossing({}, {}, false), ['message', 'direct']);
    assert.deepEqual(crossing({ transport: 'message' }), ['message', 'direct']);
    assert.deepEqual(crossing({ dispatch: 'direct' }), ['shared', 'direct']);
    assert.deepEqual(crossing({ choose: 'random' }), ['shared', 'direct'], 'a strategy chooses workers');
    assert.deepEqual(crossing({ choose: 'random', dispatch: 'shared-queue' }), ['shared', 'shared-queue']);
    assert.deepEqual(crossing({}, { THREADWISE_TRANSPORT: 'message' }), ['message', 'direct']);
    assert.deepEqual(crossing({}, { THREADWISE_DISPATCH: 'direct' }), ['shared', 'direct']);
    assert.throws(() => crossing({ transport: 'shared' }, {}, false), { code: 'ERR_OPTION' });
    assert.throws(() => crossing({ transport: 'message', dispatch: 'shared-queue' }), { code: 'ERR_OPTION' });
  });

  test('with a coordinator, the strategy is one that can be made on its thread, too', () => {
    const dispatchOf = (given: PoolOptions, env: Record<string, string> = {}, hasSharedMemory = true) =>
      resolveOptions(given, { ...context(env), hasSharedMemory }).dispatch;
    const own = { name: 'own', choose: (_task: unknown, candidates: readonly never[]) => candidates[0]! };
    assert.equal(dispatchOf({ dispatch: 'coordinator' }), 'coordinator');
    assert.equal(dispatchOf({ dispatch: 'coordinator', choose: 'random' }), 'coordinator');
    assert.equal(dispatchOf({ dispatch: 'coordinator', transport: 'message' }), 'coordinator');
    assert.equal(dispatchOf({}, { THREADWISE_DISPATCH: 'coordinator' }), 'coordinator');
    assert.equal(
      dispatchOf({ choose: own }, { THREADWISE_DISPATCH: 'coordinator' }),
      'direct',
      'only a wish',
    );
    assert.equal(dispatchOf({}, { THREADWISE_DISPATCH: 'coordinator' }, false), 'direct');
    refuses(
      [
        [
          { dispatch: 'coordinator', choose: own },
          /'choose': expected one of least-busy, random with dispatch/,
        ],
        [{ dispatch: 'coordinators' }, /'dispatch': expected/],
      ],
      resolve,
    );
    assert.throws(() => dispatchOf({ dispatch: 'coordinator' }, {}, false), { code: 'ERR_OPTION' });
  });

  test('name values that a later version may have, and say that this one has not', () => {
    refuses(
      [
        [
          { placement: 'automatic' },
          /'placement': expected 'threads' or 'auto' or 'inline', got "automatic"/,
        ],
        [{ loopBudgetMs: 0 }, /'loopBudgetMs': expected milliseconds above 0, up to 1000, got 0/],
        [{ isolation: 'fibre' }, /'isolation': expected 'thread' or 'process', got "fibre"/],
        [{ transport: 'pigeon' }, /'transport': expected 'auto' or 'shared' or 'message', got "pigeon"/],
      ],
      resolve,
    );
    assert.equal(resolve({ transport: 'message', dispatch: 'direct' }).placement, 'threads');
    for (const placement of ['inline', 'auto'] as const) {
      assert.equal(resolve({ placement }).placement, placement);
    }
  });

  test('take a strategy as a name, a value or a function', () => {
    const strategy = { name: 'mine', choose: () => assert.fail('not called') };
    const choices: NonNullable<PoolOptions['choose']>[] = ['random', strategy, strategy.choose];
    for (const choose of choices) assert.equal(resolve({ choose }).choose, choose);
    refuses([[{ choose: 'randon' }, /'choose': expected 'least-busy' or 'random', got "randon"/]], resolve);
  });
});

describe('bounds of threads', () => {
  test('fill in what is not given from what the machine allows', () => {
    const bounds = (given: unknown) => threadBounds('threads', given, context());
    assert.deepEqual(bounds({}), { min: 1, max: 8, cores: 8 });
    assert.deepEqual(bounds({ min: 0 }), { min: 0, max: 8, cores: 8 });
    assert.deepEqual(bounds({ max: 3 }), { min: 1, max: 3, cores: 8 });
    assert.deepEqual(bounds({ min: 12 }), { min: 12, max: 12, cores: 8 }, 'never fewer than asked for');
  });

  test('are of what the machine allows now: a container may have got other limits', () => {
    let cores = 2;
    const platform = { availableThreads: () => cores, threadCeiling: () => 16 * cores };
    const auto = () => threadBounds('threads', 'auto', platform);
    assert.deepEqual(auto(), { min: 1, max: 32, cores: 2, usualMax: 2 });
    cores = 4;
    assert.deepEqual(auto(), { min: 1, max: 64, cores: 4, usualMax: 4 });
  });

  test('refuse a minimum above the maximum', () => {
    refuses(
      [[{ threads: { min: 3, max: 2 } }, /'threads': expected min not larger than max, got "3 > 2"/]],
      resolve,
    );
  });
});

describe('the environment', () => {
  const threads = (value: string, given: PoolOptions = {}) =>
    resolve(given, { THREADWISE_THREADS: value }).threads;

  test('decides the threads where the code leaves them open', () => {
    assert.deepEqual(threads('3'), { min: 3, max: 3, cores: 3 });
    assert.deepEqual(threads('2-6'), { min: 2, max: 6, cores: 8 });
    assert.deepEqual(threads('5', { threads: 'auto' }), { min: 5, max: 5, cores: 5 });
    assert.deepEqual(threads('auto'), { min: 1, max: 128, cores: 8, usualMax: 8 });
    assert.deepEqual(threads(''), { min: 1, max: 128, cores: 8, usualMax: 8 });
  });

  test('decides them also when a pool that runs is to find its size again', () => {
    const platform = { availableThreads: () => 8, threadCeiling: () => 128, env: () => '3' };
    const options = { dispatch: 'direct', isolation: 'thread', fixedSize: undefined } as const;
    const { threads: changed } = checkChanges({ threads: 'auto' }, options, { platform, choices: [] });
    assert.deepEqual(changed, { min: 3, max: 3, cores: 3 });
  });

  test('never overrides what the code says', () => {
    assert.deepEqual(threads('3', { threads: 2 }), { min: 2, max: 2, cores: 2 });
    const env = { THREADWISE_CHOOSE: 'random' };
    assert.equal(resolve({ choose: 'least-busy' }, env).choose, 'least-busy');
  });

  test('decides the strategy where the code leaves it open', () => {
    assert.equal(resolve({}, { THREADWISE_CHOOSE: 'random' }).choose, 'random');
    assert.equal(resolve({}, { THREADWISE_CHOOSE: '' }).choose, 'least-busy');
  });

  test('is refused by its own name when it is wrong', () => {
    for (const wrong of ['many', '0', '-2', '2-', '1.5', '4-2', '99999', ' 2']) {
      const message = /THREADWISE_THREADS \(environment\)/;
      assert.throws(() => threads(wrong), { code: 'ERR_OPTION', message }, wrong);
    }
    const env = { THREADWISE_CHOOSE: 'fastest' };
    assert.throws(() => resolve({}, env), { message: /THREADWISE_CHOOSE \(environment\).*'least-busy' or/ });
  });
});

describe('options of a call', () => {
  test('that are not given are the defaults of the pool, the very same record', () => {
    assert.equal(run(undefined), defaults);
    assert.deepEqual(run({}), defaults);
    assert.equal(run({}).timeoutMs, 700);
    assert.equal(run({}).retries, 2);
  });

  test('override the defaults of the pool, each by itself', () => {
    assert.deepEqual(run({ timeoutMs: 5 }), { ...defaults, timeoutMs: 5 });
    assert.deepEqual(run({ retries: 0 }), { ...defaults, retries: 0 });
    assert.equal(run({ retries: 3, transfer: [] }).retries, 3);
    for (const retries of [undefined, 3])
      assert.equal(run({ retries, transfer: [new ArrayBuffer(8)] }).retries, 0, 'what was moved is gone');
    assert.equal(run({ timeoutMs: Number.POSITIVE_INFINITY }).timeoutMs, undefined, 'none at all');
  });

  test('with an unknown name are refused with the nearest known one', () => {
    refuses([[{ timeout: 5 }, /Unknown option 'timeout'\. Did you mean 'timeoutMs'\?/]], run);
  });

  test('of the wrong type are refused', () => {
    refuses(
      [
        [null, /'options': expected an object, got null/],
        [5, /'options': expected an object, got 5/],
        [new AbortController().signal, /'options': expected an object, got an instance of AbortSignal/],
        [[], /'options': expected an object, got an array of 0/],
        [{ signal: {} }, /'signal': expected an AbortSignal/],
        [{ signal: null }, /'signal': expected an AbortSignal, got null/],
        [{ timeoutMs: -1 }, /'timeoutMs'/],
        [{ timeoutMs: '5' }, /'timeoutMs'.*got "5"/],
        [{ priority: Number.NaN }, /'priority': expected a finite number, got NaN/],
        [{ priority: Number.POSITIVE_INFINITY }, /'priority'/],
        [{ transfer: new ArrayBuffer(1) }, /'transfer': expected an array/],
        [{ retries: -1, transfer: [new ArrayBuffer(8)] }, /'retries'/],
        [{ retries: -1 }, /'retries': expected a whole number of at least 0, got -1/],
        [{ onProgress: true }, /'onProgress': expected a function, got true/],
      ],
      run,
    );
  });

  test('keep any value as a key, also undefined and NaN', () => {
    for (const key of [undefined, null, Number.NaN, 'user', {}, 0]) assert.equal(run({ key }).key, key);
  });
});
