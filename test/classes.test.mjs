// Instances of registered classes arrive as instances, on either side and over every transport.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createPool } from 'threadwise';
import { apart, moduleUrl, outcome, poolFor, ways } from './fixtures/helpers.mjs';
import {
  Bytes,
  classes,
  Money,
  Named,
  Order,
  Point,
  Ring,
  Stranger,
  Unknown,
} from './fixtures/modules/shapes.mjs';

const url = moduleUrl('classes.mjs');
const WAYS = {
  ...ways,
  inline: { placement: 'inline' },
  ...(process.platform !== 'win32' && { processes: { isolation: 'process' } }),
};

/** A getter arrives as a field with the value that it returned. */
const withGetter = () =>
  Object.defineProperty(new Point(3, 4), 'twice', { enumerable: true, get: () => 6, configurable: true });
const withFaultyGetter = () =>
  Object.defineProperty(new Error('enough'), 'at', { enumerable: true, get: () => assert.fail('was read') });
const cyclic = () => {
  const point = new Point(3, 4);
  point.self = point;
  return point;
};

for (const [way, options] of Object.entries(WAYS)) {
  describe(`instances of classes, ${way}`, () => {
    const made = (t, more) => poolFor(t, { threads: 1, classes, ...options, ...more }, url);
    /** For what needs no options of its own: a thread, or a process, takes long to start. */
    let pool;
    before(() => {
      pool = createPool(url, { threads: 1, classes, ...options });
    });
    after(() => pool.destroy());

    test('as arguments, however deep they lie', async () => {
      const money = new Money(5);
      const values = [
        [new Point(3, 4), 'Point 5'],
        [new Named(3, 4, 'n'), 'Named n 5'],
        [money, 'Money 5'],
        [new URL('http://a.example/'), 'URL a.example'],
        [[1, [new Point(3, 4)]], 'Array 1,Array Point 5'],
        [{ a: { b: money } }, 'object object Money 5'],
        [new Map([[money, new Point(3, 4)]]), 'Map Money 5,Point 5'],
        [new Set([new Point(3, 4), money]), 'Set Point 5,Money 5'],
        [new Order([new Point(3, 4), money], money), 'Order Point 5,Money 5,Money 5'],
        [new Unknown(new Order([], money)), 'object Order Money 5'],
        // Shared memory cannot carry these, so they go by port.
        [[/x/, new Point(3, 4)], 'Array object ,Point 5'],
        ...(way === 'inline' || !(apart || way === 'processes')
          ? [[[new SharedArrayBuffer(1), money], 'Array object ,Money 5']]
          : []),
        [
          new Order(
            Array.from({ length: 5000 }, (_, i) => i),
            money,
          ).total,
          'Money 5',
        ],
        ['text', 'text'],
      ];
      for (const [value, expected] of values) {
        assert.deepEqual(await pool.run('kinds', [value]), [expected], expected);
      }
      assert.deepEqual(
        await pool.run(
          'kinds',
          values.map(([value]) => value),
        ),
        values.map(([, expected]) => expected),
      );
      assert.deepEqual(await pool.tasks.kinds(), []);
    });

    test('as results, and what was not registered stays plain', async () => {
      const big = new Order(
        Array.from({ length: 5000 }, (_, i) => new Point(i, 0)),
        new Money(7),
      );
      for (const name of ['echo', 'later', 'ownThen']) {
        for (const value of [
          new Point(3, 4),
          new Named(3, 4, 'n'),
          [{ point: new Point(1, 2) }, /x/],
          new Map([['key', new Set([new Named(1, 2, 'in')])]]),
          undefined,
          'text',
          [1.5, null],
        ]) {
          assert.deepStrictEqual(await pool.run(name, [value]), value);
        }
        const { positions, total } = await pool.run(name, [big]);
        assert.ok(positions.every((it, i) => it instanceof Point && it.x === i));
        assert.equal(total.cents, 7);
        assert.deepStrictEqual(await pool.run(name, [new Unknown(new Point(1, 2))]), {
          value: new Point(1, 2),
        });
        assert.equal((await pool.run(name, [[new URL('http://a.example/')]]))[0].host, 'a.example');
      }
      assert.equal((await pool.run('moved', [3])).sum, 3);
      assert.ok((await pool.run('moved', [3])) instanceof Bytes);
      const [answer] = await pool.broadcast('echo', [new Point(3, 4)]);
      assert.equal(answer.norm, 5);
      const mapped = await Array.fromAsync?.(pool.map('echo', [new Point(3, 4), new Money(5)]));
      if (mapped) assert.deepEqual([mapped[0].norm, mapped[1].cents], [5, 5]);
    });

    test('who is the same stays the same, cycles too; getters cross as what they give', async () => {
      const [point, money] = [new Point(3, 4), new Money(5)];
      assert.equal(await pool.run('isSame', [point, point]), true);
      assert.equal(await pool.run('isSame', [money, money]), true);
      assert.equal(await pool.run('isSame', [point, new Point(3, 4)]), false);
      assert.equal(await pool.run('isOwnCycle', [cyclic()]), true);
      const own = await pool.run('echo', [[money, cyclic(), money]]);
      assert.equal(own[0], own[2]);
      assert.equal(own[1].self, own[1]);
      assert.ok(own[1] instanceof Point);
      const read = await pool.run('echo', [withGetter()]);
      assert.deepEqual([read.twice, read.norm, read instanceof Point], [6, 5, true]);
      const fresh = Object.defineProperty({}, 'money', { enumerable: true, get: () => new Money(6) });
      assert.equal((await pool.run('echo', [[money, fresh]]))[1].money.cents, 6, 'a new instance each time');
      assert.ok(point instanceof Point && money.cents === 5, "the caller's own are left alone");
    });

    test('in streams, progress, calls of the owner and of tasks, errors', async (t) => {
      const heard = [];
      const answer = (point, { at }) => new Money(point.norm + at[0].norm);
      const pool = made(t, { host: { answer }, threads: 2 });
      const values = [new Point(3, 4), new Money(5), [new Named(3, 4, 'n')], 1];
      const taken = [];
      for await (const value of pool.stream('each', [values])) taken.push(value);
      assert.deepEqual([taken[0].norm, taken[1].cents, taken[2][0].norm, taken[3]], [5, 5, 5, 1]);
      const returned = [];
      for await (const value of pool.stream('echo', [values])) returned.push(value);
      assert.deepEqual(returned, taken, 'of a list that was returned, too');
      pool.on('task:progress', ({ value }) => heard.push(value.norm));
      const onProgress = (value) => heard.push(value.norm);
      assert.deepEqual(await pool.run('asks', [new Point(3, 4)], { onProgress }), [true, 10]);
      assert.deepEqual(heard, [5, 5]);
      assert.deepEqual(await pool.run('forks', [new Money(5)]), ['Money 5', 'Money 5', false, 'Bytes 3']);
      const { error } = await outcome(pool.run('fails', [{ money: new Money(5) }]));
      assert.ok(error instanceof RangeError);
      assert.equal(error.at.money.cents, 5);
      assert.equal((await outcome(pool.run('throwsIt', [new Point(3, 4)]))).error.norm, 5);
    });

    test('as causes of errors, and among the errors of an AggregateError', async () => {
      for (const value of [new Point(3, 4), new Money(5)]) {
        const { error } = await outcome(pool.run('failsFor', [value]));
        const arrived = [error.cause.cause, error.errors[0], error.errors[1].cause];
        for (const own of arrived) assert.deepEqual(own, value);
        assert.ok(!Object.keys(error).includes('cause'));
      }
    });

    test('plain in what a host function throws, and in the reason of an abort', async (t) => {
      const [point, at] = [new Point(3, 4), { x: 3, y: 4 }];
      const host = {
        fails: (it) => {
          throw it === 'error' ? Object.assign(new RangeError('it failed'), { at: point }) : point;
        },
      };
      const pool = made(t, { host });
      assert.deepEqual(await pool.run('catches', ['error']), at);
      assert.deepEqual(await pool.run('catches', ['value']), at);
      const aborting = new AbortController();
      const onProgress = () => aborting.abort(Object.assign(new Error('enough'), { at: point }));
      await outcome(pool.run('heedsAbort', [], { signal: aborting.signal, onProgress }));
      assert.deepEqual(await pool.run('lastReason', []), at);
    });

    test('an abort tells its reason, although that is its own cause, or cannot be looked into', async () => {
      const reason = new Error('enough');
      reason.cause = reason;
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      for (const each of [reason, withFaultyGetter(), proxy]) {
        const { error } = await outcome(pool.run('echo', [1], { signal: AbortSignal.abort(each) }));
        assert.equal(error.code, 'ERR_TASK_ABORTED');
        assert.equal(error.cause, each);
      }
    });

    test('a lease among the arguments stays one', async () => {
      const lease = pool.lease(3);
      lease.bytes.fill(2);
      assert.equal(await pool.run('sumOf', [lease, new Money(5)]), 11);
    });

    test('a value that looks packed arrives as it is', async () => {
      const [packed] = [['\0threadwise.instances', { x: 1 }, ['Point'], []]];
      assert.deepEqual(await pool.run('echo', [packed]), packed);
      assert.deepEqual(await pool.run('kinds', [1, packed]), [
        '1',
        `Array ${packed[0]},object 1,Array Point,Array `,
      ]);
    });

    test('what cannot cross is refused, and said; the pool works on', async () => {
      const refused = async (call, message) => {
        const { error } = await outcome(call);
        assert.equal(error.code, 'ERR_NOT_CLONEABLE');
        assert.match(error.message, message);
      };
      await refused(pool.run('echo', [new Stranger(3, 4)]), /Stranger extends Point, and is not registered/);
      await refused(pool.run('stranger', []), /Stranger extends Point, and is not registered/);
      await refused(pool.run('echo', [new Ring()]), /Ring is part of what its own `encode` returned/);
      await refused(pool.run('ring', []), /Ring is part of what its own `encode` returned/);
      await refused(pool.run('echo', [new Order([], () => 1)]), /args\[0\]\.total/);
      await refused(pool.run('faulty', []), /result.*total/);
      const broken = Object.create(Money.prototype);
      await refused(pool.run('echo', [broken]), /`encode` of Money threw TypeError/);
      await refused(
        pool.run('echo', [
          [
            Object.defineProperty({ a: new Money(1) }, 'b', {
              enumerable: true,
              get: () => {
                throw new Error('no');
              },
            }),
          ],
        ]),
        /getter of 'b' threw Error: no/,
      );
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      await refused(pool.run('echo', [proxy]), /args\[0\]/);
      await refused(pool.run('revoked', []), /result/);
      assert.equal((await pool.run('echo', [new Point(3, 4)])).norm, 5);
    });

    test('progress whose `decode` throws is an error of the pool; the call goes on', async (t) => {
      const decode = () => {
        throw new Error('no');
      };
      const own = classes.map((each) => (each.class === Money ? { ...each, decode } : each));
      const pool = made(t, { classes: own });
      const errors = [];
      pool.on('error', ({ error }) => errors.push(error.message));
      assert.equal(await pool.run('reports', [new Money(5)]), 'told');
      assert.deepEqual(errors, ['Cannot clone: `decode` of Money threw Error: no']);
    });

    test('a class that one side alone registers is named, and where it is to be', async (t) => {
      for (const [own, message] of [
        [undefined, /the task module registers Point, Named.*createPool does not/],
        [[...classes, Unknown], /createPool registers Unknown, the task module does not/],
        [classes.slice(1), /the task module registers Point, createPool does not/],
      ]) {
        const { error } = await outcome(made(t, { classes: own }).run('echo', [1]));
        assert.equal(error.code, 'ERR_MODULE_LOAD');
        assert.equal(error.cause.code, 'ERR_OPTION');
        assert.match(error.cause.message, message);
      }
      const plain = made(t, { classes: 'plain' });
      assert.deepStrictEqual(await plain.run('echo', [new Point(3, 4)]), { x: 3, y: 4 });
      assert.deepStrictEqual(await plain.run('echo', [new Money(5)]), {}, 'private members are lost');
    });
  });
}

describe('the option `classes`', () => {
  class Hidden {
    #own = 1;
    read() {
      return this.#own;
    }
  }
  class Table extends Map {}
  class Below extends Hidden {}
  for (const [given, message] of [
    [Point, /'classes': expected an array/],
    [[1], /'classes\[0\]': expected an object/],
    [[() => 1], /'classes\[0\]': expected a class/],
    [[{ class: 1 }], /'classes\[0\]\.class': expected a class/],
    [[class {}], /'classes\[0\]\.name': expected a string/],
    [[Point, Point], /'classes\[1\]': expected each class, and each name, once/],
    [[Point, { class: Named, name: 'Point' }], /'classes\[1\]': expected each class, and each name, once/],
    [[{ class: Point, encode: String }], /`encode` and `decode`, or neither/],
    [[{ class: Point, encode: 1, decode: String }], /'classes\[0\]\.encode': expected a function/],
    [[{ class: Point, code: 1 }], /Unknown option 'classes\[0\]\.code'.*Known: class, name, encode, decode/],
    [[Hidden], /private members/],
    [[Below], /private members/],
    [[Table], /what Map keeps/],
    [[RangeError], /what RangeError keeps/],
    ['plane', /'classes': expected an array/],
  ]) {
    test(`${message}`, () => {
      assert.throws(() => createPool(url, { classes: given }), { code: 'ERR_OPTION', message });
    });
  }
});
