/** What counts as the same answer: an app that does not await an offloaded function must never pass for one that does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, compareAnswer, complaintOf, shortened } from './answers.js';

const answer = (body: string, more: Partial<Answer> = {}): Answer => ({
  status: 200,
  type: 'application/json',
  location: '',
  closes: false,
  body: new TextEncoder().encode(body),
  failed: undefined,
  ms: 1,
  ...more,
});

const likeness = (references: string[], candidate: string) =>
  compareAnswer(
    references.map((each) => answer(each)),
    answer(candidate),
  );

test('byte for byte, where the app answers the same each time', () => {
  assert.equal(likeness(['{"a":1}', '{"a":1}'], '{"a":1}'), 'same');
  assert.equal(likeness(['{"a":1}', '{"a":1}'], '{"a":{}}'), 'different');
  assert.equal(likeness(['{"a":1}', '{"a":1}'], '{"a":1} '), 'different');
  assert.equal(likeness(['', ''], ''), 'same');
});

test('status and type are part of it', () => {
  const reference = [answer('x'), answer('x')];
  assert.equal(compareAnswer(reference, answer('x', { status: 500 })), 'different');
  assert.equal(compareAnswer(reference, answer('x', { type: 'text/html' })), 'different');
  assert.equal(compareAnswer(reference, answer('', { failed: 'socket hang up' })), 'different');
});

test('answers that differ each time are compared by what they share at both ends', () => {
  const references = ['{"at":100,"html":"<p>Ada</p>"}', '{"at":257,"html":"<p>Ada</p>"}'];
  assert.equal(likeness(references, '{"at":998,"html":"<p>Ada</p>"}'), 'alike');
  assert.equal(likeness(references, '{"at":998,"html":{}}'), 'different', 'a promise as JSON');
  assert.equal(likeness(references, '{"at":998,"html":"[object Promise]"}'), 'different');
});

test('the shared beginning and end never overlap', () => {
  assert.equal(likeness(['aaaaaaaaaaaa', 'aaaaaaaaaaaaa'], 'aaaaaaaaaaaaaa'), 'alike');
  assert.equal(
    likeness(['aaaaaaaaaaaa', 'aaaaaaaaaaaaa'], 'aaaaaaa'),
    'different',
    'shorter than what is shared',
  );
});

test('answers that share nothing: it cannot be told', () => {
  assert.equal(likeness(['1', '2'], '3'), 'unclear');
  assert.equal(likeness(['1', '2'], '{}'), 'unclear');
});

test('of a large answer the ends are kept, and so much of the rest that a difference is seen', () => {
  const large = (at: number, byte: number) => {
    const body = new Uint8Array(3 * 2 ** 20).fill(97);
    body[at] = byte;
    return answer('', { body: shortened(body) });
  };
  const reference = large(0, 97);
  assert.ok(reference.body.length < 2 * 2 ** 20);
  for (const at of [0, 2 ** 20, 3 * 2 ** 20 - 1]) {
    assert.equal(compareAnswer([reference, reference], large(at, 97)), 'same');
    assert.equal(compareAnswer([reference, reference], large(at, 98)), 'different');
    assert.equal(compareAnswer([reference, large(at, 98)], large(at, 99)), 'alike');
  }
});

test('what is no answer to put load on is told, with where a redirect leads', () => {
  assert.equal(complaintOf(answer('')), undefined);
  assert.equal(complaintOf(answer('', { status: 204 })), undefined);
  assert.equal(complaintOf(answer('', { status: 404 })), 'answers 404');
  assert.match(complaintOf(answer('', { status: 302, location: '/login' }))!, /302.*'\/login'.*not followed/);
  assert.equal(complaintOf(answer('', { failed: 'fails: socket hang up' })), 'fails: socket hang up');
});
