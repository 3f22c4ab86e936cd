/** What is told of a thrown value; of its stack only the lines that lead into the user's code. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeError, errorLine, stackOf } from './described-error.js';

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

test('a thrown value that has no JSON is shown as Node.js shows it', () => {
  const own: { a: number; self?: unknown } = { a: 1 };
  own.self = own;
  assert.equal(errorLine(describeError(10n)), 'thrown: 10n');
  assert.equal(errorLine(describeError(own)), 'thrown: <ref *1> { a: 1, self: [Circular *1] }');
});

test('what fails within a call of ours has no stack', () => {
  assert.equal(stackOf(thrownBy(() => JSON.stringify(1n))), undefined);
});

test('the stack ends where the user\u2019s code does', () => {
  const theirs =
    'at Object.toJSON (file:///their/module.js:1:45)\nat Array.map (<anonymous>)\nat all (file:///their/module.js:2:9)';
  const error = thrownBy(() => JSON.stringify(1n)) as Error;
  error.stack = error.stack!.replace('    at ', `    ${theirs.replaceAll('\n', '\n    ')}\n    at `);
  assert.equal(stackOf(error), theirs);
});

test('a code that is null is none, as that of a child process that a signal has ended', () => {
  for (const code of [null, undefined, '']) {
    const error = Object.assign(new Error('Command failed'), { code });
    assert.equal(errorLine(describeError(error)), 'Error: Command failed');
  }
  assert.equal(errorLine(describeError(Object.assign(new Error('x'), { code: 0 }))), 'Error [0]: x');
});

test('an error of which nothing would be seen is told in words', () => {
  const told = (fields: object) => errorLine(describeError(Object.assign(new Error(''), fields)));
  assert.equal(told({ name: '' }), 'an error that says nothing');
  assert.equal(told({ name: '', message: 'why' }), 'why');
  assert.equal(told({ name: '', code: 'EWHY' }), '[EWHY]');
  assert.equal(told({}), 'Error');
  assert.equal(errorLine(describeError('')), 'thrown: ""');
});

test('the cause is told, where it says more: of `fetch failed` nothing else tells why', () => {
  const told = (message: string, cause: unknown) =>
    errorLine(describeError(new TypeError(message, { cause })));
  const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
  assert.equal(
    told('fetch failed', refused),
    'TypeError: fetch failed (cause: AggregateError [ECONNREFUSED])',
  );
  assert.equal(told('no: a', new Error('a')), 'TypeError: no: a');
  const why = "Cannot read '/none': ENOENT: no such file or directory";
  for (const call of ["stat '/none'", "open '/none'", 'read'])
    assert.equal(
      told(why, new Error(`ENOENT: no such file or directory, ${call}`)),
      `TypeError: ${why}`,
      call,
    );
  const [one, two] = [new Error('one'), new Error('two')];
  one.cause = two;
  two.cause = one;
  assert.equal(errorLine(describeError(one)), 'Error: one (cause: Error: two)');
  for (const cause of [undefined, null, 'text', new Proxy({}, { has: () => assert.fail() })])
    assert.equal(told('why', cause), 'TypeError: why');
});
