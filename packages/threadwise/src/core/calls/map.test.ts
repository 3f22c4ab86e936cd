/** Mapping an input: order, backpressure, and how it ends: by itself, early, by an error, by a signal. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { FakePlatform, plainRun } from '../fake-platform.case.js';
import { type Inputs, iteratorOf, type MapHost, Mapping, resolveMap } from './map.js';
import type { AbortSignalLike } from './signals.js';

/** Lets everything happen that can happen without anything from outside. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

interface Call {
  readonly item: unknown;
  readonly signal: AbortSignalLike;
  readonly finish: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** A pool whose calls end when told to; an aborted call fails. */
class Host implements MapHost {
  /** Calls that are open, in the order in which they came. */
  readonly open: Call[] = [];
  submitted = 0;
  readonly room: () => Promise<void> | undefined;
  readonly isFull = () => false;

  /** @param hasRoom whether callers need not wait */
  constructor(hasRoom: boolean) {
    this.room = hasRoom ? () => undefined : async () => undefined;
  }

  submit(item: unknown, signal: AbortSignalLike): Promise<unknown> {
    this.submitted++;
    return new Promise((resolve, reject) => {
      const ending =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          this.open.splice(this.open.indexOf(call), 1);
          settle(value);
        };
      const call: Call = { item, signal, finish: ending(resolve), fail: ending(reject) };
      this.open.push(call);
      signal.addEventListener('abort', () => call.fail(signal.reason));
    });
  }

  call(item: unknown): Call {
    return this.open.find((call) => call.item === item)!;
  }
}

/** An input that counts what is read from it and notes whether it was closed. */
function counted<T>(items: readonly T[], isAsync = false) {
  const input = { read: 0, isClosed: false };
  const next = () => {
    const done = input.read >= items.length;
    return { done, value: items[done ? 0 : input.read++] } as IteratorResult<T>;
  };
  const end = () => {
    input.isClosed = true;
    return { done: true, value: undefined } as const;
  };
  const iterator: Iterator<T> | AsyncIterator<T> = isAsync
    ? { next: async () => next(), return: async () => end() }
    : { next, return: end };
  return { input, iterator };
}

interface Case {
  items: number[];
  concurrency: number;
  ordered: boolean;
  burst: number;
  hasRoom: boolean;
  isAsync: boolean;
  order: number[];
}

type Settings = Partial<Pick<Case, 'concurrency' | 'ordered' | 'burst' | 'hasRoom'>> & {
  signal?: AbortSignalLike;
};

function start(iterator: Iterator<unknown> | AsyncIterator<unknown>, settings: Settings = {}) {
  const { concurrency = 3, ordered = true, burst = 1, hasRoom = false, signal } = settings;
  const host = new Host(hasRoom);
  const results = new Mapping(host, iterator, { concurrency, burst, ordered, signal }).results();
  return { host, results };
}

/** Takes the next result without waiting for it. */
function take(results: AsyncGenerator<unknown>) {
  const taken = { state: 'open', value: undefined as unknown };
  results.next().then(
    ({ done, value }) => Object.assign(taken, { state: done ? 'end' : 'value', value }),
    (value) => Object.assign(taken, { state: 'error', value }),
  );
  return taken;
}

async function all(results: AsyncGenerator<unknown>): Promise<unknown[]> {
  const given: unknown[] = [];
  for await (const result of results) given.push(result);
  return given;
}

describe('a mapping', () => {
  test('gives the results in the order of the input, whatever ends first', async () => {
    const { host, results } = start(counted(['a', 'b', 'c']).iterator);
    const first = take(results);
    await turn();
    host.call('c').finish('C');
    host.call('b').finish('B');
    await turn();
    assert.equal(first.state, 'open');
    host.call('a').finish('A');
    await turn();
    assert.equal(first.value, 'A');
    assert.deepEqual(await all(results), ['B', 'C']);
  });

  test('gives the results as they come when they need not be in order', async () => {
    const { host, results } = start(counted(['a', 'b', 'c']).iterator, { ordered: false });
    const taken = [take(results), take(results), take(results), take(results)];
    for (const item of ['c', 'a', 'b']) {
      await turn();
      host.call(item).finish(item);
    }
    await turn();
    assert.deepEqual(
      taken.map(({ state, value }) => value ?? state),
      ['c', 'a', 'b', 'end'],
    );
  });

  test('reads nothing before the first result is asked for', async () => {
    const { input, iterator } = counted(['a']);
    const { host } = start(iterator);
    await turn();
    assert.equal(input.read, 0);
    assert.equal(host.submitted, 0);
  });

  test('reads on only when a result is taken, not when one is there', async () => {
    const { input, iterator } = counted([1, 2, 3, 4, 5, 6]);
    const { host, results } = start(iterator, { concurrency: 2 });
    take(results);
    await turn();
    assert.equal(input.read, 2);
    host.call(2).finish('two');
    await turn();
    assert.equal(input.read, 2, 'the result of 2 has not been taken');
    host.call(1).finish('one');
    await turn();
    take(results);
    await turn();
    assert.ok(input.read <= 4, 'two taken, two ahead');
  });

  test('reads several items at a time while there are results to give, and at once when there are none', async () => {
    const items = Array.from({ length: 20 }, (_, i) => i);
    const { input, iterator } = counted(items);
    const { host, results } = start(iterator, { concurrency: 8, burst: 4, hasRoom: true });
    const next = async () => {
      const taken = take(results);
      await turn();
      return taken.value ?? taken.state;
    };
    take(results);
    await turn();
    assert.equal(input.read, 8);
    for (const item of [0, 1, 2, 3, 4, 5]) host.call(item).finish(item);
    await turn();
    for (const item of [1, 2, 3]) {
      assert.equal(await next(), item);
      assert.equal(input.read, 8, 'there are fewer than four places');
    }
    assert.equal(await next(), 4);
    assert.equal(input.read, 12);
    assert.equal(await next(), 5);
    assert.equal(input.read, 12);
    const waiting = take(results);
    await turn();
    assert.equal(input.read, 14, 'nothing is to be given, so all places count');
    host.call(6).finish(6);
    await turn();
    assert.equal(waiting.value, 6);
    await results.return();
  });

  test('gives every result once and never reads further than it may, in any order of ends', async () => {
    const anyCase: fc.Arbitrary<Case> = fc.record({
      items: fc.uniqueArray(fc.nat(99), { maxLength: 10 }),
      concurrency: fc.integer({ min: 1, max: 5 }),
      ordered: fc.boolean(),
      burst: fc.integer({ min: 1, max: 6 }),
      hasRoom: fc.boolean(),
      isAsync: fc.boolean(),
      order: fc.array(fc.nat(), { minLength: 1, maxLength: 10 }),
    });
    const run = async ({ items, concurrency, ordered, burst, hasRoom, isAsync, order }: Case) => {
      const { input, iterator } = counted(items, isAsync);
      const { host, results } = start(iterator, { concurrency, ordered, burst, hasRoom });
      const given: unknown[] = [];
      let isOver = false;
      const consumer = (async () => {
        for await (const result of results) given.push(result);
        isOver = true;
      })();
      for (let i = 0; !isOver; i++) {
        await turn();
        assert.ok(input.read <= given.length + concurrency, `${input.read} read, ${given.length} taken`);
        assert.ok(host.open.length <= concurrency);
        const call = host.open[order[i % order.length]! % Math.max(1, host.open.length)];
        call?.finish(call.item);
      }
      await consumer;
      const sorted = (list: readonly unknown[]) => (ordered ? list : [...list].sort());
      assert.deepEqual(sorted(given), sorted(items));
    };
    await fc.assert(fc.asyncProperty(anyCase, run), { numRuns: 60 });
  });

  test('of nothing gives nothing', async () => {
    for (const isAsync of [false, true]) {
      const { results } = start(counted([], isAsync).iterator);
      assert.deepEqual(await all(results), []);
    }
  });
});

describe('a mapping that is left early', () => {
  test('closes the input and cancels the calls that are open', async () => {
    for (const isAsync of [false, true]) {
      const { input, iterator } = counted([1, 2, 3, 4, 5], isAsync);
      const { host, results } = start(iterator, { concurrency: 3 });
      const first = take(results);
      await turn();
      const signals = host.open.map(({ signal }) => signal);
      host.call(1).finish('one');
      await turn();
      assert.equal(first.value, 'one');
      await results.return();
      assert.equal(input.isClosed, true);
      assert.ok(signals.every(({ aborted }) => aborted));
      assert.equal(host.open.length, 0);
    }
  });

  test('does not wait for an input that never answers', async () => {
    let hasAskedToClose = false;
    const iterator: AsyncIterator<number> = {
      next: () => new Promise(() => undefined),
      return: () => {
        hasAskedToClose = true;
        return new Promise(() => undefined);
      },
    };
    const controller = new AbortController();
    const { results } = start(iterator, { signal: controller.signal });
    const first = take(results);
    await turn();
    controller.abort('why');
    await turn();
    assert.equal(first.state, 'error');
    assert.equal(hasAskedToClose, true);
  });

  test('closes the input once, though that answers while it is being closed', async () => {
    let answer: (item: IteratorResult<number>) => void = () => undefined;
    let closed = 0;
    const iterator: AsyncIterator<number> = {
      next: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
      return: async () => {
        closed++;
        return { done: true, value: undefined };
      },
    };
    const controller = new AbortController();
    const { host, results } = start(iterator, { signal: controller.signal });
    const first = take(results);
    await turn();
    controller.abort('why');
    answer({ done: false, value: 1 });
    await turn();
    assert.deepEqual([first.state, closed, host.submitted], ['error', 1, 0]);
  });

  test('leaves no listener on the signal of the caller', async () => {
    const { signal } = new AbortController();
    const { host, results } = start(counted([1, 2]).iterator, { signal });
    take(results);
    await turn();
    host.call(1).finish(1);
    await turn();
    await results.return();
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});

describe('an error', () => {
  test('of a task ends the results, closes the input and cancels the rest', async () => {
    const { input, iterator } = counted([1, 2, 3, 4]);
    const { host, results } = start(iterator, { concurrency: 2 });
    const first = take(results);
    await turn();
    const { signal } = host.call(2);
    const error = new Error('task');
    host.call(1).fail(error);
    await turn();
    assert.equal(first.value, error);
    assert.equal(input.isClosed, true);
    assert.equal(signal.aborted, true);
    assert.deepEqual(await results.next(), { done: true, value: undefined });
  });

  test('of a task waits for its turn where the results are in order', async () => {
    const { host, results } = start(counted(['a', 'b']).iterator);
    const first = take(results);
    await turn();
    host.call('b').fail(new Error('b'));
    await turn();
    assert.equal(first.state, 'open');
    host.call('a').finish('A');
    await turn();
    assert.equal(first.value, 'A');
    await assert.rejects(results.next(), { message: 'b' });
  });

  test('of the input ends the results, and an input that failed is not closed as well', async () => {
    for (const isAsync of [false, true]) {
      const error = new Error('input');
      const fail = (): never => {
        throw error;
      };
      const end = () => assert.fail('closed');
      const iterator = isAsync ? { next: async () => fail(), return: end } : { next: fail, return: end };
      const { results } = start(iterator);
      await assert.rejects(results.next(), error);
    }
  });

  test('of the input cancels the calls that are open', async () => {
    const items = function* () {
      yield 1;
      throw new Error('input');
    };
    const { host, results } = start(items());
    await assert.rejects(results.next(), { message: 'input' });
    assert.equal(host.submitted, 1);
    assert.equal(host.open.length, 0);
  });
});

describe('an abort', () => {
  test('ends the results while the input waits for its next item', async () => {
    let closeInput: () => void = () => undefined;
    const items: AsyncIterable<number> = {
      async *[Symbol.asyncIterator]() {
        await new Promise<void>((resolve) => {
          closeInput = resolve;
        });
      },
    };
    const controller = new AbortController();
    const { results } = start(items[Symbol.asyncIterator](), { signal: controller.signal });
    const first = take(results);
    await turn();
    controller.abort('why');
    await turn();
    const error = first.value as { code?: unknown; cause?: unknown };
    assert.deepEqual([first.state, error.code, error.cause], ['error', 'ERR_TASK_ABORTED', 'why']);
    closeInput();
  });

  test('reaches the calls that are open, with its reason', async () => {
    const controller = new AbortController();
    const { host, results } = start(counted([1]).iterator, { signal: controller.signal });
    const first = take(results);
    await turn();
    const { signal } = host.call(1);
    const reason = new Error('why');
    controller.abort(reason);
    await turn();
    assert.equal(signal.reason, reason);
    assert.deepEqual([first.state, first.value], ['error', reason]);
  });

  test('before the start reads nothing, and closes the input', async () => {
    const { input, iterator } = counted([1]);
    const { host, results } = start(iterator, { signal: AbortSignal.abort('before') });
    await assert.rejects(results.next(), { code: 'ERR_TASK_ABORTED', cause: 'before' });
    assert.deepEqual([input.read, input.isClosed, host.submitted], [0, true, 0]);
  });
});

describe('options of a mapping', () => {
  const resolve = (given: unknown) => resolveMap(given, 64, plainRun, new FakePlatform());

  test('are split into its own and those of the calls', () => {
    const { signal } = new AbortController();
    const { burst, ...rest } = resolve({ concurrency: 2, ordered: false, timeoutMs: 5, signal });
    const run = { ...plainRun, timeoutMs: 5, signal };
    assert.deepEqual(rest, { concurrency: 2, ordered: false, run });
    assert.equal(burst, 1);
    const { burst: usual, ...defaults } = resolve(undefined);
    assert.deepEqual(defaults, { concurrency: 64, ordered: true, run: plainRun });
    assert.ok(usual > 1 && usual <= 32, 'at least half of the window is full at any time');
    assert.equal(resolve({ concurrency: 63 }).burst, 1);
    assert.equal(resolve({ concurrency: 1000 }).burst, usual);
  });

  test('are refused when they are unknown or wrong', () => {
    const cases: [unknown, RegExp][] = [
      [{ concurency: 2 }, /Did you mean 'concurrency'\?/],
      [{ transfer: [] }, /Unknown option 'transfer'/],
      [{ concurrency: 0 }, /'concurrency': expected a whole number of at least 1, got 0/],
      [{ concurrency: Number.NaN }, /'concurrency'/],
      [{ concurrency: Number.POSITIVE_INFINITY }, /'concurrency'/],
      [{ signal: null }, /'signal': expected an AbortSignal, got null/],
      [{ signal: {} }, /'signal'/],
      [{ ordered: 1 }, /'ordered': expected true or false, got 1/],
      [{ timeoutMs: 0 }, /'timeoutMs': expected milliseconds from 1/],
      [{ priority: '1' }, /'priority': expected a finite number, got "1"/],
      [5, /'options': expected an object/],
      [null, /'options': expected an object, got null/],
      [[], /'options': expected an object, got an array of 0/],
    ];
    for (const [given, message] of cases) {
      assert.throws(() => resolve(given), { code: 'ERR_OPTION', message });
    }
  });
});

describe('iteratorOf', () => {
  test('takes the asynchronous iterator of what has both', () => {
    const both = { [Symbol.iterator]: () => assert.fail(), [Symbol.asyncIterator]: () => 'asynchronous' };
    assert.equal(iteratorOf(both as unknown as Inputs<unknown>), 'asynchronous');
  });

  test('takes whatever can be iterated', () => {
    assert.deepEqual(iteratorOf('ab').next(), { done: false, value: 'a' });
    assert.deepEqual(iteratorOf(new Map([[1, 2]])).next(), { done: false, value: [1, 2] });
  });

  test('refuses what cannot be iterated, by the name of the argument', () => {
    for (const items of [undefined, null, 5, {}, { length: 1, 0: 'a' }]) {
      const call = () => iteratorOf(items as unknown as Inputs<unknown>);
      assert.throws(call, { code: 'ERR_OPTION', message: /'items': expected an iterable/ });
    }
  });
});
