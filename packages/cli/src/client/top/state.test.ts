import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sorted, workerColumns } from './columns.js';
import { fakePool, fakeSnapshot } from './snapshot.test.fake.js';
import { initialState, keyOf, pressed, type TopState, type Wish, withSnapshot } from './state.js';

const pools = [
  fakePool('a', { threads: { min: 2, max: 2, current: 2 } }),
  fakePool('b', { state: 'paused', threads: { min: 1, max: 4, current: 3 } }),
  fakePool('c', { state: 'broken', threads: { min: 1, max: 1, current: 0 } }),
];
const start = initialState('http://h:1', fakeSnapshot(pools));
const at = (selected: string): TopState => ({ ...start, selected });

/** Presses keys, as a terminal in raw mode names them. */
function press(state: TopState, ...keys: string[]): { state: TopState; wishes: Wish[] } {
  const wishes: Wish[] = [];
  for (const sequence of keys) {
    const arrow = { '\x1b[A': 'up', '\x1b[B': 'down', '\x1b': 'escape' }[sequence];
    const next = pressed(state, keyOf({ sequence, ...(arrow && { name: arrow }) }));
    state = next.state;
    if (next.wish !== undefined) wishes.push(next.wish);
  }
  return { state, wishes };
}

test('arrows select a pool and stop at the ends', () => {
  assert.equal(start.selected, 'a');
  assert.equal(press(start, '\x1b[B').state.selected, 'b');
  assert.equal(press(start, 'j', 'j', 'j', 'j').state.selected, 'c');
  assert.equal(press(start, '\x1b[B', '\x1b[B', '\x1b[A').state.selected, 'b');
  assert.equal(press(start, 'k').state.selected, 'a');
});

test('s goes through the columns, S turns the order round', () => {
  assert.deepEqual(press(start, 's').state.sort, { by: 'STATE', descending: false });
  assert.deepEqual(press(start, 's', 's').state.sort, { by: 'LOAD', descending: true });
  assert.deepEqual(press(start, 's', 's', 'S').state.sort, { by: 'LOAD', descending: false });
  assert.deepEqual(press(start, ...workerColumns.map(() => 's')).state.sort, start.sort);
});

test('q, Ctrl-C and Ctrl-Z', () => {
  assert.deepEqual(press(start, 'q').wishes, [{ kind: 'quit' }]);
  assert.deepEqual(press(start, '\x03').wishes, [{ kind: 'interrupt' }]);
  assert.deepEqual(press(start, '\x1a').wishes, [{ kind: 'suspend' }]);
  assert.deepEqual(press(start, '?', '\x03').wishes, [{ kind: 'interrupt' }]);
  assert.deepEqual(press(start, 'p', '\x03').wishes, [{ kind: 'interrupt' }]);
});

test('? shows the help, and any key leads back without doing anything else', () => {
  const help = press(start, '?');
  assert.equal(help.state.mode.kind, 'help');
  assert.deepEqual(press(help.state, 'q'), { state: start, wishes: [] });
});

test('a change asks first, and only y does it', () => {
  const asked = press(start, 'p');
  assert.equal(asked.state.mode.kind, 'asking');
  assert.deepEqual(asked.wishes, []);
  const [wish] = press(asked.state, 'y').wishes;
  assert.ok(wish?.kind === 'send');
  assert.deepEqual([wish.request.pool, wish.request.ask], ['a', { action: 'pause' }]);
});

for (const key of ['n', 'N', 'q', '\x1b']) {
  test(`${JSON.stringify(key)} is no, and leads back`, () => {
    const { state, wishes } = press(start, 'r', key);
    assert.deepEqual([state.mode.kind, wishes], ['watching', []]);
    assert.equal(state.notice, 'Nothing was changed.');
  });
}

for (const key of ['\r', ' ', 'p', '+', '\x1b[B', 's', '?']) {
  test(`${JSON.stringify(key)} is no answer: the question stays`, () => {
    const asked = press(start, 'r').state;
    assert.deepEqual(press(asked, key), { state: asked, wishes: [] });
  });
}

/** What is sent when the question is answered with y. */
function sent(selected: string, key: string): unknown {
  const [wish] = press(at(selected), key, 'y').wishes;
  return wish?.kind === 'send' ? wish.request.ask : undefined;
}

test('+ and - change a number by one, and of bounds the upper one', () => {
  assert.deepEqual(sent('a', '+'), { change: { threads: 3 } });
  assert.deepEqual(sent('a', '-'), { change: { threads: 1 } });
  assert.deepEqual(sent('b', '+'), { change: { min: 1, max: 5 } });
  assert.deepEqual(sent('b', '-'), { change: { min: 1, max: 3 } });
});

test('the lower bound goes down with the upper one', () => {
  const pool = fakePool('d', { threads: { min: 3, max: 4, current: 3 } });
  const state = initialState('http://h:1', fakeSnapshot([pool]));
  const twice = press(state, '-', 'y').wishes[0];
  assert.deepEqual(twice?.kind === 'send' && twice.request.ask, { change: { min: 3, max: 3 } });
});

test('the last thread stays, and nothing is asked', () => {
  const { state, wishes } = press(at('c'), '-');
  assert.deepEqual([state.mode.kind, wishes], ['watching', []]);
  assert.equal(state.notice, 'c has one thread, and needs it.');
});

test('p resumes what is paused, and says why it cannot pause', () => {
  assert.deepEqual(sent('b', 'p'), { action: 'resume' });
  const { state } = press(at('c'), 'p');
  assert.deepEqual([state.mode.kind, state.notice], ['watching', 'c is broken: it cannot be paused.']);
});

test('the question says what will be so', () => {
  const { mode } = press(at('b'), '+').state;
  assert.equal(mode.kind === 'asking' && mode.request.question, 'Resize b from 1-4 to 1-5 threads?');
});

test('without a connection nothing is asked', () => {
  const lost: TopState = { ...start, lost: 'gone' };
  const { state } = press(lost, '+');
  assert.deepEqual([state.mode.kind, /no connection/.test(state.notice)], ['watching', true]);
});

test('without a pool there is nothing to change', () => {
  const empty = initialState('http://h:1', fakeSnapshot([]));
  for (const key of ['+', '-', 'p', 'r', 'j', 'k']) assert.deepEqual(press(empty, key).wishes, []);
  assert.equal(press(empty, 'r').state.notice, 'No pool is selected.');
});

test('news end a lost connection and keep the selection by name', () => {
  const lost: TopState = { ...at('b'), lost: 'gone' };
  const snapshot = fakeSnapshot([pools[2]!, pools[1]!], 2_000_000);
  const state = withSnapshot(lost, snapshot);
  assert.deepEqual([state.selected, state.lost, state.now], ['b', undefined, 2_000_000]);
});

test('a pool that is gone passes the selection on to its place, and a question about it goes', () => {
  const asking = press(at('b'), 'r').state;
  const state = withSnapshot(asking, fakeSnapshot([pools[0]!, pools[2]!]));
  assert.deepEqual([state.selected, state.mode.kind], ['c', 'watching']);
  assert.equal(state.notice, 'The pool is gone: nothing was changed.');
  const none = withSnapshot(state, fakeSnapshot([]));
  assert.equal(none.selected, undefined);
  assert.equal(withSnapshot(none, fakeSnapshot(pools)).selected, 'a');
});

test('a restart of the program ends a question, whose figures are of the program before; another look at the program does not', () => {
  const asking = press(at('b'), '+').state;
  const look = (changes: object) => {
    const snapshot = fakeSnapshot(pools);
    return withSnapshot(asking, { ...snapshot, process: { ...snapshot.process, ...changes } });
  };
  assert.equal(look({ uptimeMs: 66_000 }).mode, asking.mode);
  assert.equal(look({ uptimeMs: undefined }).mode, asking.mode);
  for (const changes of [{ pid: 8, uptimeMs: 90_000 }, { uptimeMs: 1000 }]) {
    const { mode, notice, selected } = look(changes);
    assert.deepEqual([mode.kind, selected], ['watching', 'b']);
    assert.equal(notice, 'The program was started again: nothing was changed.');
  }
});

test('a notice stays until the next key', () => {
  const told = { ...start, notice: 'done' };
  assert.equal(withSnapshot(told, fakeSnapshot(pools)).notice, 'done');
  assert.equal(press(told, 'j').state.notice, '');
});

test('letters with Alt or Ctrl are other keys', () => {
  assert.equal(keyOf({ sequence: '\x1by', name: 'y', meta: true }), 'other');
  assert.equal(keyOf({ sequence: '\x19', name: 'y', ctrl: true }), 'other');
  assert.equal(keyOf({ sequence: '\x1b[99;5u', name: 'c', ctrl: true }), 'interrupt');
});

test('workers are sorted by figures; those that are not known come last either way', () => {
  const workers = [{ id: 1, load: 2 }, { id: 2 }, { id: 3, load: 10 }, { id: 4, load: 2 }];
  const ids = (descending: boolean) => sorted(workers, { by: 'LOAD', descending }).map(({ id }) => id);
  assert.deepEqual(ids(true), [3, 1, 4, 2]);
  assert.deepEqual(ids(false), [1, 4, 3, 2]);
});
