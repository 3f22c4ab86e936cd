/** Errors cross threads whole: class, name, message, stack, causes and own fields; and nothing thrown breaks it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'threadwise-test/fast-check';
import { isThreadwiseError, ThreadwiseError } from '../../core/options/errors.js';
import { FakePlatform } from '../../core/fake-platform.case.js';
import { decodeError, encodeError } from './error-codec.js';

const { clone } = new FakePlatform();

/** What arrives on the other side: encoded, cloned as by a port, decoded. */
const cross = (thrown: unknown): unknown => decodeError(clone(encodeError(thrown, clone)));
/** Does what `cross` does, for what must arrive as an error. */
function crossError<E extends Error>(error: E): E & Record<string, unknown> {
  const arrived = cross(error);
  assert.ok(arrived instanceof Error);
  return arrived as E & Record<string, unknown>;
}

const fn = () => undefined;

class HttpError extends RangeError {
  status: number;

  constructor(message: string, status: number) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
  }
}

describe('an error that crosses', () => {
  test('keeps its built-in class, name, message and stack', () => {
    for (const Class of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
      const error = new Class('what went wrong');
      const arrived = crossError(error);
      assert.equal(Object.getPrototypeOf(arrived), Class.prototype);
      assert.equal(arrived.name, Class.name);
      assert.equal(arrived.message, 'what went wrong');
      assert.equal(arrived.stack, error.stack);
    }
  });

  test("keeps a class of the user's as the nearest built-in one, with its name and fields", () => {
    const arrived = crossError(new HttpError('gone', 410));
    assert.equal(Object.getPrototypeOf(arrived), RangeError.prototype);
    assert.equal(arrived.name, 'HttpError');
    assert.equal(arrived.status, 410);
  });

  test('keeps its own fields, code among them, writable and enumerable', () => {
    const fields = { code: 'ENOENT', errno: -2, data: { list: [1, new Map([[1, 2]])] }, nothing: undefined };
    const arrived = crossError(Object.assign(new Error('no file'), fields));
    assert.deepEqual({ ...arrived }, fields);
    arrived.code = 'changed';
    assert.equal(arrived.code, 'changed');
  });

  test('keeps a field that is called errors, of whatever kind', () => {
    for (const errors of [['name is missing', 'age is no number'], { name: 'is missing' }, 3]) {
      assert.deepEqual(crossError(Object.assign(new TypeError('invalid'), { errors })).errors, errors);
    }
  });

  test('shows neither name nor stack nor cause among its fields', () => {
    const arrived = crossError(new HttpError('gone', 410));
    assert.deepEqual(Object.keys(arrived), ['status']);
    assert.deepEqual(Object.keys(crossError(new Error('x', { cause: new Error('y') }))), []);
  });

  test('keeps a field that is called __proto__ as a field, and gets no other prototype by it', () => {
    const error = new Error('x');
    Object.defineProperty(error, '__proto__', { value: { polluted: true }, enumerable: true });
    const arrived = crossError(error);
    assert.equal(Object.getPrototypeOf(arrived), Error.prototype);
    assert.deepEqual(Object.getOwnPropertyDescriptor(arrived, '__proto__')?.value, { polluted: true });
    assert.equal('polluted' in arrived, false);
  });

  test('keeps the other fields when one cannot be cloned, and a description of that one', () => {
    const arrived = crossError(Object.assign(new Error('x'), { status: 5, fn, deep: { fn } }));
    assert.equal(arrived.status, 5);
    assert.equal(arrived.fn, '[object Function]');
    assert.equal(arrived.deep, '[object Object]');
  });

  test('keeps the code and the brand of an error of threadwise, and what it tells', () => {
    const details = { taskName: 'work', workerId: 3, cause: 'why' };
    const arrived = crossError(new ThreadwiseError('ERR_TASK_TIMEOUT', 'too long', details));
    assert.ok(arrived instanceof ThreadwiseError);
    assert.ok(isThreadwiseError(arrived));
    assert.equal(arrived.name, 'TimeoutError');
    const { code, taskName, workerId, cause } = arrived;
    assert.deepEqual({ code, taskName, workerId, cause }, { code: 'ERR_TASK_TIMEOUT', ...details });
  });

  test('keeps the brand of an error of another copy, whose class a minifier has renamed', () => {
    const Renamed = { a: class extends Error {} }.a;
    const brand = { [Symbol.for('threadwise.error')]: true, code: 'ERR_OUTSIDE_TASK' };
    const arrived = crossError(Object.assign(new Renamed('x'), brand));
    assert.ok(arrived instanceof ThreadwiseError);
    assert.equal(arrived.code, 'ERR_OUTSIDE_TASK');
  });

  test('is no error of threadwise any more when a task has made its code something else than text', () => {
    const error = new ThreadwiseError('ERR_QUEUE_FULL', 'x');
    Object.assign(error, { code: { toString: 1 } });
    const arrived = crossError(error) as Error & { code?: unknown };
    assert.equal(Object.getPrototypeOf(arrived), Error.prototype);
    assert.deepEqual([arrived.message, arrived.code], ['x', { toString: 1 }]);
  });

  test("is no error of threadwise because a class of the user's has the same name", () => {
    const Impostor = { ThreadwiseError: class extends Error {} }.ThreadwiseError;
    const arrived = crossError(Object.assign(new Impostor('x'), { code: 'EOWN' }));
    assert.equal(isThreadwiseError(arrived), false);
    assert.equal(arrived.code, 'EOWN');
  });

  test('keeps a DOMException, its name and its legacy code', () => {
    const error = new DOMException('too late', 'TimeoutError');
    const arrived = crossError(error);
    assert.ok(arrived instanceof DOMException);
    assert.deepEqual([arrived.name, arrived.message, arrived.code], ['TimeoutError', 'too late', 23]);
  });

  test('keeps the errors of an AggregateError', () => {
    const arrived = crossError(new AggregateError([new TypeError('a'), 'b', undefined], 'several'));
    assert.ok(arrived instanceof AggregateError);
    assert.equal(arrived.message, 'several');
    const [a, b, c] = arrived.errors;
    assert.ok(a instanceof TypeError);
    assert.equal(a.message, 'a');
    assert.deepEqual([b, c, arrived.errors.length], ['b', undefined, 3]);
  });

  test(
    'keeps what a SuppressedError is of',
    { skip: !('SuppressedError' in globalThis) && 'Node 20, 22' },
    () => {
      const arrived = crossError(
        new SuppressedError(new HttpError('closing', 500), new TypeError('working'), 'both'),
      );
      assert.ok(arrived instanceof SuppressedError);
      assert.equal(arrived.message, 'both');
      assert.deepEqual([arrived.error.name, arrived.error.status], ['HttpError', 500]);
      assert.ok(arrived.suppressed instanceof TypeError);
      assert.deepEqual(Object.keys(arrived), []);
    },
  );

  test('keeps its chain of causes, down to one that is no error', () => {
    const deepest = new TypeError('deepest', { cause: { plain: 'data' } });
    const arrived = crossError(new Error('outer', { cause: deepest }));
    assert.ok(arrived.cause instanceof TypeError);
    assert.equal(arrived.cause.message, 'deepest');
    assert.deepEqual(arrived.cause.cause, { plain: 'data' });
  });

  test('keeps null and undefined as a cause, and has none where there was none', () => {
    assert.equal(crossError(new Error('x', { cause: null })).cause, null);
    const { cause } = Object.getOwnPropertyDescriptors(crossError(new Error('x', { cause: undefined })));
    assert.deepEqual(cause, { value: undefined, writable: true, enumerable: false, configurable: true });
    assert.equal('cause' in crossError(new Error('x')), false);
  });

  test('is made without a look at the stack of where it arrives', (t) => {
    const encoded = encodeError(
      new AggregateError([new TypeError('a')], 'b', { cause: new HttpError('c', 410) }),
      clone,
    );
    const { prepareStackTrace, stackTraceLimit } = Error;
    t.after(() => {
      Error.prepareStackTrace = prepareStackTrace;
    });
    Error.prepareStackTrace = () => assert.fail('a stack was made');
    const arrived = decodeError(clone(encoded)) as AggregateError;
    assert.match(arrived.stack!, /^AggregateError: b\n {4}at /);
    assert.match((arrived.errors[0] as Error).stack!, /^TypeError: a\n {4}at /);
    assert.match((arrived.cause as Error).stack!, /^HttpError: c\n {4}at /);
    assert.equal(Error.stackTraceLimit, stackTraceLimit);
  });

  test('arrives whole also where the program allows no change of how stacks are noted', () => {
    const program = `
      Object.defineProperty(Error, 'stackTraceLimit', { writable: false });
      const { decodeError, encodeError } = await import(${JSON.stringify(import.meta.resolve('./error-codec.js'))});
      const error = Object.assign(new TypeError('x'), { code: 'E' });
      const arrived = decodeError(encodeError(error, (value) => value));
      process.stdout.write(JSON.stringify([arrived.name, arrived.message, arrived.code, arrived.stack === error.stack]));
    `;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    assert.equal(stdout, '["TypeError","x","E",true]');
  });

  test('is an error also when it comes from another realm', () => {
    const foreign: Error = runInNewContext("Object.assign(new TypeError('there'), { code: 'E' })");
    const arrived = crossError(foreign) as Error & { code?: unknown };
    assert.ok(arrived instanceof TypeError);
    assert.deepEqual([arrived.message, arrived.code], ['there', 'E']);
  });
});

describe('an error that is hard to carry', () => {
  test('may be its own cause: the chain is cut', () => {
    const error = new Error('loop');
    error.cause = error;
    let [depth, at] = [0, crossError(error) as unknown];
    for (; at instanceof Error; at = at.cause) {
      assert.equal(at.message, 'loop');
      depth++;
    }
    assert.ok(depth >= 2 && depth <= 20, `${depth} deep`);
  });

  test('may contain itself many times over, and is not multiplied without end', () => {
    let reads = 0;
    const error = new AggregateError([], 'loop');
    const errors = () => (++reads > 5000 ? [] : Array.from({ length: 8 }, () => error));
    Object.defineProperty(error, 'errors', { get: errors });
    assert.equal(crossError(error).message, 'loop');
    assert.ok(reads < 5000, `${reads} errors were made of one`);
  });

  test('may be frozen', () => {
    const arrived = crossError(Object.freeze(Object.assign(new Error('frozen'), { code: 'E' })));
    assert.deepEqual([arrived.message, arrived.code], ['frozen', 'E']);
  });

  test('may have getters that throw, wherever', () => {
    const trap = {
      get: () => {
        throw new Error('trap');
      },
      enumerable: true,
    };
    const error = Object.assign(new Error('fine'), { code: 'E' });
    // The stack comes first: making it reads the name.
    for (const key of ['stack', 'name', 'cause', 'errors', 'other']) Object.defineProperty(error, key, trap);
    const arrived = crossError(error);
    assert.deepEqual([arrived.name, arrived.message, arrived.code], ['Error', 'fine', 'E']);
    Object.defineProperty(error, 'message', trap);
    assert.equal(crossError(error).message, '');
  });

  test('may have a list of errors that cannot be walked', () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    const thrower = Object.defineProperty([1], 0, {
      get: () => {
        throw new Error('trap');
      },
    });
    revoke();
    for (const errors of [proxy, thrower]) {
      const error = Object.defineProperty(new AggregateError([], 'fine'), 'errors', { value: errors });
      assert.equal(crossError(error).message, 'fine');
    }
  });

  test('may have a name or a message that is no text', () => {
    const arrived = crossError(Object.assign(new TypeError('x'), { name: 5, message: { deep: fn } }));
    assert.deepEqual([arrived.name, arrived.message], ['Error', '']);
  });

  test('may be a proxy, one that refuses everything included', () => {
    const arrived = crossError(new Proxy(new TypeError('behind'), {}));
    assert.ok(arrived instanceof TypeError);
    assert.equal(arrived.message, 'behind');
    const refuse = () => {
      throw new Error('refused');
    };
    const handler = {
      get: refuse,
      ownKeys: refuse,
      getPrototypeOf: refuse,
      getOwnPropertyDescriptor: refuse,
    };
    assert.ok(cross(new Proxy(new Error('x'), handler)) instanceof Error);
    const { proxy, revoke } = Proxy.revocable(new Error('x'), {});
    revoke();
    assert.ok(cross(proxy) instanceof Error);
  });
});

describe('what is thrown and is no error', () => {
  test('arrives as it is', () => {
    for (const thrown of [undefined, null, 'text', 5, Number.NaN, 10n, { code: 'E' }, [1, [2]]]) {
      assert.deepEqual(cross(thrown), thrown);
    }
  });

  test('arrives as an error that says so, where it cannot be cloned', () => {
    for (const [thrown, shown] of [
      [fn, /Function/],
      [Symbol('s'), /Symbol/],
      [{ fn }, /Object/],
      [Promise.resolve(), /Promise/],
    ] as const) {
      const arrived = cross(thrown) as ThreadwiseError;
      assert.equal(arrived.code, 'ERR_NOT_CLONEABLE');
      assert.match(arrived.message, shown);
    }
  });
});

describe('any error', () => {
  const classes = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, HttpError];
  const field = fc.oneof(fc.anything({ withMap: true, withSet: true, withDate: true }), fc.constant(fn));
  const keys = fc.string().filter((key) => !['name', 'message', 'stack', 'cause', 'errors'].includes(key));

  const { anyError } = fc.letrec<{ anyError: Error; anyCause: unknown }>((tie) => ({
    anyCause: fc.oneof({ maxDepth: 4 }, fc.anything(), tie('anyError')),
    anyError: fc
      .record({
        make: fc.constantFrom(
          ...classes.map((Class) => (message: string) => new Class(message, 1 as never)),
          (message: string) => new AggregateError([new Error('inner'), message], message),
          (message: string) => new ThreadwiseError('ERR_QUEUE_FULL', message),
          (message: string) => new DOMException(message, 'DataError') as Error,
        ),
        message: fc.string(),
        name: fc.option(fc.string(), { nil: undefined }),
        cause: fc.option(tie('anyCause'), { nil: undefined, depthIdentifier: 'cause' }),
        fields: fc.array(fc.tuple(keys, field), { maxLength: 4 }),
        isFrozen: fc.boolean(),
      })
      .map(({ make, message, name, cause, fields, isFrozen }) => {
        const error = make(message);
        const put = (key: string, value: unknown, enumerable: boolean) =>
          Object.defineProperty(error, key, { value, enumerable, configurable: true, writable: true });
        if (name !== undefined) put('name', name, false);
        if (cause !== undefined) put('cause', cause, false);
        for (const [key, value] of fields) put(key, value, true);
        return isFrozen ? Object.freeze(error) : error;
      }),
  }));

  test('can be encoded, sent and decoded, and keeps name, message, stack and the names of its fields', () => {
    fc.assert(
      fc.property(anyError, (error) => {
        const arrived = crossError(error);
        assert.equal(arrived.name, error.name);
        assert.equal(arrived.message, error.message);
        assert.equal(arrived.stack, error.stack);
        const missing = Object.keys(error).filter((key) => !Object.hasOwn(arrived, key));
        assert.deepEqual(missing, []);
      }),
      { numRuns: 300 },
    );
  });

  test('or anything else that is thrown can be encoded and sent', () => {
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }),
        (thrown) => {
          cross(thrown);
        },
      ),
    );
  });
});
