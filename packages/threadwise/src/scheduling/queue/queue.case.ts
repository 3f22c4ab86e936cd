/** The conformance suite of the queue seam: what every TaskQueue promises. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import type { TaskQueue } from '../../core/contracts.js';

export interface Item {
  readonly id: number;
  readonly label: string;
  readonly priority: number;
}

export interface QueueTraits {
  /** An item with k older ones before it waits for at most (k + 1) times that many takes. */
  readonly ageingInterval: number;
}

let lastId = 0;

/** An item that is younger than all before. */
export function item(label: string | number, priority = 0, id = ++lastId): Item {
  return { id, label: String(label), priority };
}

function push(queue: TaskQueue<Item>, ...items: Item[]): void {
  for (const each of items) queue.push(each, each.priority);
}

function takeAll(queue: TaskQueue<Item>): string[] {
  const labels: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) labels.push(next.label);
  return labels;
}

export function queueConformance(name: string, make: () => TaskQueue<Item>, traits: QueueTraits): void {
  describe(`${name} keeps the promises of a queue`, () => {
    test('is empty at first: nothing to peek at, to take, to remove or to iterate', () => {
      const queue = make();
      assert.equal(queue.size, 0);
      assert.equal(queue.peek(), undefined);
      assert.equal(queue.shift(), undefined);
      assert.equal(queue.remove(item('stranger')), false);
      assert.deepEqual([...queue], []);
      assert.deepEqual(queue.clear(), []);
    });

    test('is first in, first out within one priority, over thousands of items', () => {
      const queue = make();
      const labels = Array.from({ length: 3000 }, (_, i) => String(i));
      push(queue, ...labels.map((label) => item(label, 5)));
      assert.deepEqual(takeAll(queue), labels);
    });

    test('takes higher priorities first, fractions and negative ones among them', () => {
      const queue = make();
      push(queue, item('low', -7), item('middle', 0), item('high', 9), item('half', 0.5), item('second', 9));
      assert.deepEqual(takeAll(queue), ['high', 'second', 'half', 'middle', 'low']);
    });

    test('undoes a shift by a push: the same item comes next, before all of its priority', () => {
      const queue = make();
      push(queue, item('a', 1), item('b', 1), item('c', 0));
      const taken = queue.shift()!;
      queue.push(taken, taken.priority);
      assert.equal(queue.size, 3);
      assert.deepEqual(takeAll(queue), ['a', 'b', 'c']);
    });

    for (const [how, order] of Object.entries({
      'in order': [0, 1, 2],
      backwards: [2, 1, 0],
      mixed: [1, 2, 0],
    })) {
      test(`undoes several shifts by pushes, ${how}`, () => {
        const queue = make();
        push(queue, ...['a', 'b', 'c', 'd'].map((label) => item(label)));
        const taken = [queue.shift()!, queue.shift()!, queue.shift()!];
        push(queue, ...order.map((at) => taken[at]!));
        assert.deepEqual(takeAll(queue), ['a', 'b', 'c', 'd']);
      });
    }

    test('goes by the order of calls also where their numbers wrap around', () => {
      const queue = make();
      const [before, after] = [item('before', 0, 2 ** 31 - 1), item('after', 0, -(2 ** 31))];
      push(queue, before, after);
      push(queue, queue.shift()!);
      assert.deepEqual(takeAll(queue), ['before', 'after']);
    });

    test('takes an item put back to a lower priority after the higher ones', () => {
      const queue = make();
      const back = item('back', 0);
      push(queue, item('high', 1), back);
      assert.deepEqual(takeAll(queue), ['high', 'back']);
    });

    test('removes an item from anywhere, once, and goes on in order', () => {
      const queue = make();
      const items = Array.from({ length: 9 }, (_, i) => item(i, i % 2));
      push(queue, ...items);
      for (const at of [0, 5, 8]) assert.equal(queue.remove(items[at]!), true);
      assert.equal(queue.remove(items[5]!), false, 'it is gone already');
      assert.equal(queue.size, 6);
      assert.deepEqual(takeAll(queue), ['1', '3', '7', '2', '4', '6']);
    });

    test('does not remove what was taken', () => {
      const queue = make();
      push(queue, item('a'), item('b'));
      assert.equal(queue.remove(queue.shift()!), false);
      assert.equal(queue.size, 1);
    });

    test('takes an item again that was removed and pushed anew, at its place', () => {
      const queue = make();
      const items = [item('a'), item('b')];
      push(queue, ...items);
      queue.remove(items[0]!);
      push(queue, items[0]!);
      assert.deepEqual(takeAll(queue), ['a', 'b']);
    });

    test('removes thousands of items out of more without losing the rest', () => {
      const queue = make();
      const items = Array.from({ length: 5000 }, (_, i) => item(i));
      push(queue, ...items);
      for (const each of items) if (Number(each.label) % 5 !== 0) queue.remove(each);
      assert.deepEqual(
        takeAll(queue),
        items.filter((_, i) => i % 5 === 0).map(({ label }) => label),
      );
    });

    test('clears to empty, gives back what it held, and works on', () => {
      const queue = make();
      push(queue, item('a', 1), item('b', 2), item('c', 1));
      const cleared = queue.clear().map(({ label }) => label);
      assert.deepEqual(cleared.sort(), ['a', 'b', 'c']);
      assert.equal(queue.size, 0);
      assert.equal(queue.shift(), undefined);
      push(queue, item('d', 0), item('e', 3));
      assert.deepEqual(takeAll(queue), ['e', 'd']);
    });

    test('iterates over each item that it holds, once, and takes none', () => {
      const queue = make();
      const items = [item('a', 1), item('b', 2), item('c', 1), item('d', 0)];
      push(queue, ...items);
      queue.remove(items[2]!);
      assert.deepEqual([...queue].map(({ label }) => label).sort(), ['a', 'b', 'd']);
      assert.equal(queue.size, 3);
    });

    test('an item with k older ones is taken within (k + 1) intervals, under a flood of higher priorities', () => {
      for (const older of [0, 1, 3, 7]) {
        const queue = make();
        push(queue, ...Array.from({ length: older }, (_, i) => item(`older ${i}`, i % 3)));
        const starved = item('starved', -100);
        push(queue, starved);
        let takes = 0;
        do {
          push(queue, item('flood', 1000), item('flood', 1001));
          takes++;
        } while (queue.shift() !== starved && takes < 10_000);
        const bound = (older + 1) * traits.ageingInterval;
        assert.ok(takes <= bound, `${older} older: taken after ${takes} takes, promised within ${bound}`);
      }
    });

    test('an item that was put back counts as older than those that came before it', () => {
      const queue = make();
      push(queue, item('low', 0));
      const taken = queue.shift()!;
      queue.push(taken, 0);
      let takes = 0;
      do {
        push(queue, item('flood', 1), item('flood', 1));
        takes++;
      } while (queue.shift() !== taken && takes < 10_000);
      assert.ok(takes <= traits.ageingInterval, `taken after ${takes} takes`);
    });
  });

  propertiesOf(name, make);
}

type Step =
  | { readonly do: 'push' | 'pushOld'; readonly priority: number }
  | { readonly do: 'remove'; readonly at: number }
  | { readonly do: 'shift' | 'putBack' | 'clear' };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constant('push' as const), priority: fc.integer({ min: -2, max: 2 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('pushOld' as const),
        priority: fc.integer({ min: -2, max: 2 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), at: fc.nat(200) }) },
    { weight: 6, arbitrary: fc.constant({ do: 'shift' as const }) },
    { weight: 2, arbitrary: fc.constant({ do: 'putBack' as const }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('clear' as const, 'shift' as const) }) },
  ),
  { maxLength: 400, size: 'max' },
);

/** A plain array for each priority: a model that a queue must agree with, except on which priority is next. */
class Model {
  readonly levels = new Map<number, Item[]>();

  level(priority: number): Item[] {
    const level = this.levels.get(priority) ?? [];
    this.levels.set(priority, level);
    return level;
  }

  get items(): Item[] {
    return [...this.levels.values()].flat();
  }

  add(added: Item): void {
    const level = this.level(added.priority);
    level.push(added);
    level.sort((a, b) => a.id - b.id);
  }

  drop(gone: Item): void {
    const level = this.level(gone.priority);
    level.splice(level.indexOf(gone), 1);
  }
}

function propertiesOf(name: string, make: () => TaskQueue<Item>): void {
  describe(`${name} agrees with an array for each priority`, () => {
    test('over any sequence of steps', () => {
      fc.assert(
        fc.property(steps, (sequence) => {
          const [queue, model] = [make(), new Model()];
          const taken: Item[] = [];
          sequence.forEach((step, i) => {
            apply(step, i, { queue, model, taken });
            assert.equal(queue.size, model.items.length);
            assert.deepEqual(new Set(queue), new Set(model.items));
          });
          while (queue.size > 0) take(queue, model);
          assert.deepEqual(model.items, []);
        }),
        { numRuns: 150 },
      );
    });
  });
}

interface Pair {
  readonly queue: TaskQueue<Item>;
  readonly model: Model;
  readonly taken: Item[];
}

function apply(step: Step, i: number, { queue, model, taken }: Pair): void {
  switch (step.do) {
    case 'push': {
      const pushed = item(i, step.priority);
      queue.push(pushed, step.priority);
      return model.add(pushed);
    }
    case 'pushOld': {
      const old = item(i, step.priority, -++lastId);
      queue.push(old, step.priority);
      return model.add(old);
    }
    case 'remove': {
      const gone = model.items[step.at];
      if (gone === undefined) return;
      assert.equal(queue.remove(gone), true);
      assert.equal(queue.remove(gone), false);
      return model.drop(gone);
    }
    case 'shift': {
      const got = take(queue, model);
      return got && void taken.push(got);
    }
    case 'putBack': {
      const back = taken.pop();
      if (back === undefined) return;
      queue.push(back, back.priority);
      return model.add(back);
    }
    case 'clear':
      assert.deepEqual(new Set(queue.clear()), new Set(model.items));
      return model.levels.clear();
  }
}

/** Takes an item: it must be the one that peek named, and the first of its priority. */
function take(queue: TaskQueue<Item>, model: Model): Item | undefined {
  const promised = queue.peek();
  const got = queue.shift();
  assert.equal(got, promised, 'peek names what shift takes');
  if (got === undefined) {
    assert.deepEqual(model.items, [], 'says it is empty');
    return undefined;
  }
  assert.equal(model.level(got.priority)[0], got, 'in the order of calls within a priority');
  model.drop(got);
  return got;
}
