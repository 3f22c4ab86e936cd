import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { resolveCall } from './job-options.js';

const DEFAULTS = { encoding: 'auto', keepMs: 60_000 } as const;
const optsOf = (options: object) => resolveCall(options, DEFAULTS, 'id').opts;

test('options of a call are those of a BullMQ job, and its own stand beside them', () => {
  const options = { retries: 3, backoff: 100, delayMs: 5, timeoutMs: 7, key: 'k', job: { lifo: true } };
  assert.deepEqual(optsOf(options), {
    jobId: 'id',
    attempts: 4,
    backoff: 100,
    delay: 5,
    priority: 2 ** 20,
    lifo: true,
    removeOnComplete: { age: 60 },
    removeOnFail: { age: 60 },
    threadwise: { call: 'id', encoding: 'auto', timeoutMs: 7, key: 'k' },
  });
  assert.equal(optsOf({ jobId: 'mine' }).jobId, 'mine');
  assert.equal(optsOf({ jobId: 'mine' }).threadwise?.call, 'id');
});

test('an option that is undefined is as one that is not there', () => {
  const job = { removeOnComplete: undefined, removeOnFail: undefined, lifo: undefined };
  assert.deepEqual(optsOf({ job, delayMs: undefined }), optsOf({}));
});

test('a higher priority of a call is a lower one of BullMQ, within what BullMQ takes', () => {
  const priority = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(
    fc.property(priority, priority, (a, b) => {
      const [first, second] = [optsOf({ priority: a }).priority!, optsOf({ priority: b }).priority!];
      assert.equal(Math.sign(second - first), Math.sign(a - b));
      for (const each of [first, second]) assert.ok(each >= 1 && each <= 2 ** 21 - 1);
    }),
  );
});

test('nothing is read of what others have put on Object.prototype', () => {
  const own = Object.create({ retries: 5 }) as object;
  assert.equal(optsOf(own).attempts, 1);
});
