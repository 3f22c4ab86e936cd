/** Who awaited a task that failed on another thread: told in the stack of the error. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withCallerStack } from './caller-stack.js';

const MARK = '--- called from ---';

/** As the pool does: fails, then adds who awaits. */
class Pool {
  async run(error: unknown): Promise<never> {
    try {
      return await Promise.reject(error);
    } catch (thrown) {
      throw withCallerStack(thrown);
    }
  }

  async broadcast(error: unknown): Promise<never> {
    return await this.run(error);
  }
}

async function theUserOfThePool(error: unknown): Promise<unknown> {
  try {
    return await new Pool().broadcast(error);
  } catch (thrown) {
    return thrown;
  }
}

describe('withCallerStack', () => {
  test('adds the functions that await, behind the stack that the error has', async () => {
    const error = new TypeError('elsewhere');
    error.stack = 'TypeError: elsewhere\n    at task (worker.js:1:1)';
    assert.equal(await theUserOfThePool(error), error);
    const [own, callers] = error.stack.split(`\n    ${MARK}\n`);
    assert.equal(own, 'TypeError: elsewhere\n    at task (worker.js:1:1)');
    assert.match(callers!, /^ {4}at async theUserOfThePool /m);
  });

  test("leaves out the pool's own functions", async () => {
    const error = new Error('elsewhere');
    await theUserOfThePool(error);
    assert.doesNotMatch(error.stack!.split(MARK)[1]!, /Pool\.(run|broadcast)/);
  });

  test('tells it once, though the error goes through it twice', async () => {
    const error = new Error('elsewhere');
    await theUserOfThePool(error);
    const { stack } = error;
    await theUserOfThePool(error);
    assert.equal(error.stack, stack);
  });

  test('leaves the stack as hidden as it was: nobody who lists the fields of the error finds it', async () => {
    const error = new Error('elsewhere');
    await theUserOfThePool(error);
    assert.ok(error.stack?.includes(MARK));
    assert.deepEqual(Object.keys(error), []);
  });

  test('gives back what is no error, or has no stack, untouched', async () => {
    const noStack = Object.defineProperty(new Error('x'), 'stack', { value: undefined });
    for (const thrown of ['text', undefined, null, 5, { stack: 'own' }, noStack]) {
      assert.equal(await theUserOfThePool(thrown), thrown);
    }
    assert.equal(noStack.stack, undefined);
  });

  test('gives back a frozen error untouched', async () => {
    const error = Object.freeze(new Error('frozen'));
    assert.equal(await theUserOfThePool(error), error);
  });

  test('gives back an error untouched where stacks are no text', async (t) => {
    const error = new Error('elsewhere');
    error.stack = 'its own';
    const { prepareStackTrace } = Error;
    t.after(() => {
      Error.prepareStackTrace = prepareStackTrace;
    });
    Error.prepareStackTrace = (_error, frames) => frames;
    assert.equal(await theUserOfThePool(error), error);
    assert.equal(error.stack, 'its own');
    Error.prepareStackTrace = () => {
      throw new Error('it makes none');
    };
    assert.equal(await theUserOfThePool(error), error);
    assert.equal(error.stack, 'its own');
  });

  test('makes no text of the frames unless somebody reads the stack', async (t) => {
    const error = new Error('elsewhere');
    error.stack = 'its own';
    const { prepareStackTrace } = Error;
    t.after(() => {
      Error.prepareStackTrace = prepareStackTrace;
    });
    let made = 0;
    Error.prepareStackTrace = () => `${++made}\n    at async theCaller (caller.js:1:1)`;
    await theUserOfThePool(error);
    assert.equal(made, 0);
    assert.equal(error.stack, `its own\n    ${MARK}\n    at async theCaller (caller.js:1:1)`);
    assert.equal(error.stack, error.stack);
    assert.equal(made, 1);
  });

  test('gives a stack that can be replaced, unread or read, own or inherited', async () => {
    const inheriting = () => Object.create(new Error('elsewhere')) as Error;
    for (const make of [() => new Error('elsewhere'), inheriting]) {
      for (const isRead of [false, true]) {
        const error = make();
        await theUserOfThePool(error);
        if (isRead) assert.match(error.stack!, /theUserOfThePool/);
        error.stack = 'another';
        const stack = { value: 'another', writable: true, enumerable: false, configurable: true };
        assert.deepEqual(Object.getOwnPropertyDescriptor(error, 'stack'), stack);
      }
    }
  });

  test('gives a stack that can be read through whatever stands for the error, and by structured clone', async () => {
    const stands = [
      (error: Error) => new Proxy(error, {}),
      (error: Error) => Object.create(error) as Error,
      (error: Error) => Object.freeze(error),
      (error: Error) => structuredClone(error),
    ];
    for (const standFor of stands) {
      const error = new Error('elsewhere');
      await theUserOfThePool(error);
      const stand = standFor(error);
      assert.match(stand.stack!, /called from ---\n {4}at async theUserOfThePool /);
      assert.equal(stand.stack, error.stack);
    }
  });

  test('gives a stack that an object which inherits from the error can have otherwise', async () => {
    const error = new Error('elsewhere');
    await theUserOfThePool(error);
    const heir = Object.create(error) as Error;
    heir.stack = 'its own';
    assert.equal(heir.stack, 'its own');
    assert.match(error.stack!, /theUserOfThePool/);
  });
});
