/** The shared transport on Node: the suite of all transports, and what only shared memory promises. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { MessagePort } from 'node:worker_threads';
import type { LinkEvents } from '../../../core/contracts.js';
import { plainRun } from '../../../core/fake-platform.case.js';
import { newLease } from '../../../core/lease.js';
import { Task } from '../../../core/calls/task.js';
import { nodePlatform } from '../../../platform/node/platform.js';
import { nodePort } from '../../../platform/node/port.js';
import { assertCode, gate, type Ground, Rig } from '../../rig.case.js';
import { smallPool } from '../../small-pool.case.js';
import { transportConformance } from '../../transport.case.js';
import { ShapeWriter } from '../../codec/shape-book.js';
import { BOOK_BYTES } from '../../codec/tags.js';
import { ValueWriter } from '../../codec/value-writer.js';
import { Arena } from './arena.js';
import { Cells } from './cells.js';
import { SharedExchange, sharedTransport } from './exchange.js';
import type { EndpointEvents } from '../../endpoint.js';
import { Line } from '../../line.js';
import { TO_MAIN } from '../../messages.js';
import { SharedEndpoint } from '../worker/endpoint.js';
import {
  ASLEEP,
  AWAKE,
  BEGAN,
  CELL_BYTES,
  claimedOf,
  claimsOf,
  DONE_TAIL,
  DOZING,
  donePlace,
  FORM,
  HEAD,
  IN_CELL,
  isAmongLast,
  LATIN1,
  LENGTH,
  MAIL_HEAD,
  MAIN_PARKED,
  OUTSIDE,
  PLACE,
  PORT_FIRST,
  pulledOf,
  RESTING,
  RUN_MS,
  SEATS_TAKEN,
  SEATS_USED,
  type SharedMemory,
  SIZES,
  TAIL,
  seatByteLength,
  wakeupsOf,
} from '../layout.js';
import { type HandPort, handPlatform, Memory } from '../stage/stage.case.js';

const ground = (name: string, sizes = SIZES): Ground => ({
  name,
  transport: sharedTransport(sizes),
  platform: nodePlatform,
  farPort: (wire) => nodePort(wire.port as MessagePort),
});

transportConformance(ground('shared transport'));
transportConformance(ground('shared transport with little memory', { cells: 512, stream: 256 }));

const CELL_WORDS = CELL_BYTES / 4;
/** What promises that are settled bring forth has been done by then. */
const settledPromises = () => new Promise((resolve) => void setImmediate(resolve));

/** What a worker's end needs of its platform, beside its port. */
const { clone, detach } = nodePlatform;
const none = () => undefined;
const QUIET = { now: () => 0, clone, detach, timer: none, atExit: none, collectSoon: none };

/** A line, with a worker that begins what it is told to and ends nothing by itself. `below`: how many workers have a lower seat. */
function line(sizes = { cells: 4, stream: 1024, mail: 4 }, below = 0) {
  /** What main does when the event loop has had its turn. */
  const turns: (() => void)[] = [];
  const later = (callback: () => void) => void turns.push(callback);
  const exits = new Set<() => void>();
  const platform = handPlatform({ memory: new Memory(), spinners: 0, now: () => 0, later, exits });
  const exchange = new SharedExchange(platform, sizes, sizes.mail);
  const said: (readonly unknown[])[] = [];
  const events = new Proxy({} as LinkEvents, {
    get: (own, what) => Reflect.get(own, what) ?? ((...args: unknown[]) => void said.push([what, ...args])),
  });
  for (let i = 0; i < below; i++) exchange.connect(events);
  const link = exchange.connect(events);
  const { memory, port } = link.wire as unknown as { memory: SharedMemory; port: HandPort };
  /** What the timers do that the worker has set. */
  const timers: (() => void)[] = [];
  const timer = (_ms: number, callback: () => void) => void timers.push(callback);
  const leaves: (() => void)[] = [];
  const atExit = (callback: () => void) => leaves.push(callback);
  const own = { ...QUIET, timer, port: () => port, atExit };
  const endpoint = new SharedEndpoint(new Line(port), memory, own);
  let lastId = 0;
  const made = (...args: unknown[]) => {
    const payload = exchange.capture('work', args, plainRun);
    return new Task(++lastId, 'work', payload, plainRun, 0, (settled) => {
      settled.payload.onSettled?.(settled.stillRuns);
    });
  };
  const send = (...args: unknown[]) => {
    const task = made(...args);
    link.send(task);
    return task;
  };
  /** What main was told, but for the ends of batches. */
  const told = () => said.map(([what]) => what).filter((what) => what !== 'settledBatch');
  /** The turn of the event loop ends. */
  const endTurn = () => {
    for (const turn of turns.splice(0)) turn();
  };
  return { exchange, link, endpoint, events, made, send, said, told, turns, endTurn, exits, leaves, timers };
}

describe('shared: a thread that is being ended waits for no word that others notify', () => {
  function asleep() {
    const all = line();
    const { words } = all.exchange.board;
    let looks = 0;
    const events = { tasks: () => looks++ } as unknown as EndpointEvents;
    all.endpoint.listen(events);
    /** How many threads wait: they are woken by it. */
    const waiting = () => Atomics.notify(words, wakeupsOf(all.link.seat));
    return { ...all, waiting, looks: () => looks };
  }

  test('one that sleeps is woken, does not look for tasks, and does not sleep again', async () => {
    const { endpoint, link, send, waiting, looks } = asleep();
    assert.equal(endpoint.rest(false), false);
    link.dismiss();
    assert.equal(waiting(), 0);
    send('text');
    await settledPromises();
    assert.equal(looks(), 0);
    endpoint.take(1);
    assert.equal(endpoint.rest(false), false);
    assert.equal(waiting(), 0);
  });

  test('one that is about to sleep does not, wherever it is', (t) => {
    const { endpoint, link, waiting } = asleep();
    const own = Atomics as unknown as { waitAsync: (...args: unknown[]) => unknown };
    const { waitAsync } = own;
    t.after(() => Object.assign(own, { waitAsync }));
    own.waitAsync = (...args) => {
      link.dismiss(); // it has looked already
      return waitAsync(...args);
    };
    while (endpoint.rest(false)) assert.equal(waiting(), 0);
    assert.equal(waiting(), 0);
  });

  test('one that throws or leaves does so by itself', () => {
    const { endpoint, leaves, waiting } = asleep();
    assert.equal(endpoint.rest(false), false);
    for (const leave of leaves) leave();
    assert.equal(waiting(), 0);
  });

  test('when the process ends, nobody waits; while there is no worker, nothing is kept for that', () => {
    const { endpoint, exits, link, waiting } = asleep();
    assert.equal(endpoint.rest(false), false);
    for (const exit of exits) exit();
    assert.equal(waiting(), 0);
    link.close();
    assert.equal(exits.size, 0);
  });

  test('the next worker in its seat sleeps as any other', () => {
    const { exchange, link, events, waiting } = asleep();
    link.dismiss();
    link.close();
    const heir = exchange.connect(events);
    assert.equal(heir.seat, link.seat);
    const { memory, port } = heir.wire as unknown as { memory: SharedMemory; port: HandPort };
    const platform = { ...QUIET, port: () => port };
    const endpoint = new SharedEndpoint(new Line(port), memory, platform);
    endpoint.listen({ tasks: () => undefined } as unknown as EndpointEvents);
    assert.equal(endpoint.rest(false), false);
    assert.equal(waiting(), 1);
  });
});

describe('shared: what cannot be read', () => {
  test('a result in no known form is none: its task counts as begun by a worker that is to die', () => {
    const { exchange, link, endpoint, send, told, endTurn } = line();
    const task = send('text');
    const { cell } = endpoint.take(1)!;
    endpoint.done(cell, task.id, 'x'.repeat(300), undefined, 1);
    exchange.cells.words[cell * CELL_WORDS + FORM] = 7;
    link.drain();
    endTurn();
    assert.deepEqual(told(), ['broken']);
    link.adopt();
    link.bury();
    assert.notEqual(link.startedAt(task), undefined);
    task.settle({ outcome: 'crashed', error: undefined });
    link.close();
    assert.equal(exchange.cells.outCount, 0);
    assert.equal(exchange.arena.usedBytes, 0);
  });

  test('tasks whose results lay behind it run the same function when they are tried again', () => {
    const { exchange, link, endpoint, events, endTurn, told } = line({ cells: 16, stream: 4096, mail: 8 });
    exchange.nameId('another');
    const run = { ...plainRun, retries: 1 };
    const tasks = Array.from({ length: 6 }, (_, i) => {
      const payload = exchange.capture('work', [`text ${i}`], run);
      return new Task(i, 'work', payload, run, 0, () => undefined);
    });
    for (const task of tasks) link.send(task);
    for (const task of tasks) endpoint.done(endpoint.take(1)!.cell, task.id, 'x', undefined, 1);
    exchange.cells.words[tasks[0]!.cell * CELL_WORDS + FORM] = 7;
    link.drain();
    link.adopt();
    link.bury();
    endTurn();
    assert.deepEqual(told(), ['broken']);
    const heir = exchange.connect(events);
    const { memory, port } = heir.wire as unknown as { memory: SharedMemory; port: HandPort };
    const platform = { ...QUIET, port: () => port };
    const next = new SharedEndpoint(new Line(port), memory, platform);
    for (const task of tasks) {
      heir.send(task);
      const { name, args } = next.take(1)!;
      assert.deepEqual([name, args], ['work', [`text ${task.id}`]]);
    }
  });
});

describe('shared: what a worker, or a task in it, has written over', () => {
  /** What a word can be overwritten with; main would loop for minutes, or for ever, if it believed the large ones. */
  const GARBAGE = [-1, 5, 1000, 2 ** 30, 2 ** 31 - 1, -(2 ** 31)];

  /** A line whose worker has begun one task, and ended it where that is asked for. */
  function worked(hasEnded: boolean) {
    const all = line({ cells: 4, stream: 1024, mail: 4 });
    const task = all.send('text');
    const { cell } = all.endpoint.take(1)!;
    if (hasEnded) all.endpoint.done(cell, task.id, 'x'.repeat(300), undefined, 1);
    const own = new Int32Array((all.link.wire.memory as SharedMemory).own);
    const { board, cells } = all.exchange;
    return { ...all, task, cell, at: cell * CELL_WORDS, own, board: board.words, words: cells.words };
  }
  /** What main was told at the end of the turn. */
  const heard = ({ told, endTurn }: ReturnType<typeof worked>) => {
    endTurn();
    return told();
  };

  for (const garbage of GARBAGE) {
    test(`how many tasks it has ended: ${garbage} more than it has begun`, () => {
      const all = worked(false);
      Atomics.add(all.own, DONE_TAIL, garbage);
      all.link.drain();
      all.link.reclaim();
      assert.deepEqual(heard(all), ['broken']);
      assert.equal(all.link.hasDone, false, 'nobody looks for its results any more');
    });

    test(`which task it has ended: ${garbage}`, () => {
      const all = worked(true);
      // A bit of it says that main is to read the port first: what is left is the number of a cell.
      all.own[donePlace(0, { cells: 4, mail: 4, stream: 1024 })] =
        garbage === PORT_FIRST ? garbage + 1 : garbage;
      all.link.reclaim();
      all.link.drain();
      assert.deepEqual(heard(all), ['broken']);
    });

    test(`how long a result is: ${garbage}`, () => {
      for (const form of [IN_CELL, LATIN1, OUTSIDE]) {
        const all = worked(true);
        all.words[all.at + FORM] = form;
        all.words[all.at + LENGTH] = garbage;
        all.link.drain();
        const [said] = heard(all);
        // What is possible is read, and may be something.
        const isPossible = garbage > 0 && garbage <= (form === OUTSIDE ? 1024 : CELL_BYTES);
        assert.ok(said === 'broken' || (isPossible && said === 'done'), `form ${form}: ${said}`);
      }
    });

    test(`where a result lies: ${garbage}`, () => {
      const all = worked(true);
      all.words[all.at + PLACE] = garbage;
      all.link.drain();
      // Whatever lies there is read, or is none.
      assert.equal(heard(all).length, 1);
    });

    test(`how many mailed tasks it has read: ${garbage} more`, () => {
      const all = worked(false);
      Atomics.add(all.own, MAIL_HEAD, garbage);
      assert.ok(all.link.room >= 0 && all.link.room <= 4);
      assert.deepEqual(heard(all), garbage === -1 ? [] : ['broken']); // one may be unread
    });

    test(`how many hints were claimed: ${garbage} more`, () => {
      const all = worked(false);
      const tasks = [all.made('a'), all.made('b')];
      for (const task of tasks) assert.ok(all.exchange.pull.offer(task));
      Atomics.add(all.board, HEAD, garbage);
      const { unclaimed } = all.exchange.pull;
      assert.ok(unclaimed >= 0 && unclaimed <= 8, `${unclaimed} are not claimed`);
      assert.equal(all.exchange.pull.peek(), tasks[0]);
      assert.deepEqual(all.exchange.pull.withdrawAll(), tasks);
    });

    test(`how many seats there are, who runs how many, who has claimed what: ${garbage}`, () => {
      const all = worked(false);
      const task = all.made('a');
      assert.ok(all.exchange.pull.offer(task));
      for (const word of [SEATS_USED, SEATS_TAKEN, pulledOf(0), claimedOf(0), claimsOf(0)]) {
        Atomics.store(all.board, word, garbage);
      }
      assert.ok(all.link.pulled >= 0 && all.link.pulled <= 4);
      const other = all.exchange.connect({} as LinkEvents);
      assert.equal((other.wire.memory as SharedMemory).seat, 1);
      all.exchange.waker.call();
      other.close();
    });
  }

  for (const runMs of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
    test(`how long a task has run: ${runMs}`, () => {
      const all = worked(true);
      all.exchange.cells.doubles[(all.cell * CELL_BYTES) / 8 + RUN_MS] = runMs;
      all.link.drain();
      assert.deepEqual(heard(all), ['broken']);
    });

    test(`when a task has begun: ${runMs}`, () => {
      const all = worked(false);
      all.exchange.cells.doubles[(all.cell * CELL_BYTES) / 8 + BEGAN] = runMs;
      assert.equal(all.link.startedAt(all.task), all.exchange.platform.now());
    });
  }

  test('that it has ended the task of another worker', () => {
    const all = worked(false);
    let blamed = 0;
    const other = all.exchange.connect({
      broken: () => blamed++,
      settledBatch: () => undefined,
    } as unknown as LinkEvents);
    const own = new Int32Array((other.wire.memory as SharedMemory).own);
    own[donePlace(0, { cells: 4, mail: 4, stream: 1024 })] = all.cell;
    Atomics.store(own, DONE_TAIL, 1);
    other.drain();
    assert.equal(other.hasDone, false);
    assert.deepEqual(heard(all), [], 'the first one is not to blame');
    assert.equal(blamed, 1);
    assert.equal(all.exchange.cells.taskIn(all.cell), all.task);
  });
});

describe('shared: a pool whose memory is written over', () => {
  for (const dispatch of ['shared-queue', 'direct'] as const) {
    test(`a worker that says it has ended more than there is crashes, with the reason, and the pool goes on: ${dispatch}`, async (t) => {
      const sizes = { cells: 8, stream: 4096, mail: 8 };
      const seats: Int32Array[] = [];
      const sharedMemory = (byteLength: number) => {
        const buffer = new SharedArrayBuffer(byteLength);
        if (byteLength === seatByteLength(sizes)) seats.push(new Int32Array(buffer));
        return buffer;
      };
      const platform = { ...nodePlatform, sharedMemory };
      const { cells, stream } = sizes;
      const small = smallPool(t, { cells, stream, dispatch, threads: 2, platform });
      await small.pool.ready;
      const waits = small.pool.run('hold', ['x']);
      await small.arrived(1);
      const holder = small.pool.stats().workers.findIndex(({ load }) => load > 0);
      Atomics.store(seats[holder]!, DONE_TAIL, 2 ** 30);
      const next = small.pool.run('echo', [1]); // the other worker's result has main look
      await assert.rejects(waits, (error: { code?: unknown; cause?: unknown }) => {
        assert.equal(error.code, 'ERR_WORKER_CRASHED');
        assert.match(String(error.cause), /the number of ended tasks is \d+, expected 0 to \d+/);
        return true;
      });
      assert.equal(await next, 1);
      assert.equal(small.pool.stats().crashes, 1);
    });
  }
});

describe('shared: memory of arguments, while main hears of nothing', () => {
  const bytes = new Uint8Array(2 ** 20);
  /** Makes tasks that lie ready for all, until the arena has no more room. */
  function fill({ exchange, made }: ReturnType<typeof line>) {
    const tasks: Task[] = [];
    for (let task = made(bytes); task.payload.byPort !== true; task = made(bytes)) {
      assert.ok(exchange.pull.offer(task));
      tasks.push(task);
    }
    return tasks;
  }
  const many = () => line({ cells: 256, stream: 1024, mail: 4 });
  const run = ({ endpoint }: ReturnType<typeof line>, give: (id: number) => unknown) => {
    const { cell, id } = endpoint.take(1)!;
    endpoint.done(cell, id, give(id), undefined, 1);
    return cell;
  };

  test('what tasks had that have ended is there for others, and they settle as ever', () => {
    const it = many();
    const tasks = fill(it);
    assert.ok(tasks.length > 32);
    for (let i = 0; i < 3; i++) run(it, () => i);
    const more = fill(it);
    assert.equal(more.length, 3);
    tasks.push(...more);
    const { length } = tasks;
    assert.equal(fill(it).length, 0, 'three have ended, and three have taken their places');
    for (let i = 3; i < length; i++) run(it, () => i);
    it.link.drain();
    assert.deepEqual(it.told(), new Array(length).fill('done'));
    for (const task of tasks) task.settle({ outcome: 'crashed', error: undefined });
    assert.equal(it.exchange.arena.usedBytes, 0);
  });

  test('a task that is tried again gets its arguments anew, or by port where there is no memory', () => {
    const it = many();
    const { exchange, link } = it;
    const lease = newLease(exchange.leaseMemory, 8);
    const payload = exchange.capture('work', [bytes, lease], { ...plainRun, retries: 1 });
    lease.release();
    const again = new Task(0, 'work', payload, plainRun, 0, () => undefined);
    assert.ok(exchange.pull.offer(again));
    fill(it);
    const cell = run(it, () => 'x'.repeat(300));
    assert.equal(fill(it).length, 1);
    exchange.cells.words[cell * CELL_WORDS + FORM] = 7;
    link.drain();
    link.adopt();
    link.bury();
    it.endTurn();
    assert.deepEqual(it.told(), ['broken']);
    assert.equal(exchange.cellFor(again), cell);
    assert.ok(exchange.cells.isByPort(cell));
    exchange.postArguments(again, cell, (posted) =>
      assert.deepEqual(posted.at(-1), [bytes, new Uint8Array(8)]),
    );
  });
});

describe('shared: callers hear of their results before the pool does', () => {
  /** A call has ended. Its caller hears so within one turn of the promises. */
  function ended() {
    const all = line();
    const { exchange, endpoint, made, said } = all;
    exchange.runTimes.add(0.001); // tasks are tiny, so main stays awake for the result
    assert.ok(exchange.pull.offer(made(1)));
    const { cell, id } = endpoint.take(1)!;
    endpoint.done(cell, id, 2, undefined, 1);
    return { ...all, what: () => said.map(([event]) => event) };
  }

  test('the pool hears while the next call of a chain is under way', async () => {
    const { exchange, made, what } = ended();
    await undefined;
    assert.deepEqual(what(), ['done']);
    assert.ok(exchange.pull.offer(made(3)));
    await undefined;
    assert.deepEqual(what(), ['done', 'settledBatch']);
  });

  test('the pool hears where no call follows', async () => {
    const { what } = ended();
    await undefined;
    assert.deepEqual(what(), ['done']);
    await undefined;
    assert.deepEqual(what(), ['done', 'settledBatch']);
  });

  test('the pool hears at once of what is asked for, and once', async () => {
    const { exchange, what } = ended();
    await undefined;
    assert.deepEqual(what(), ['done']);
    exchange.settleUp();
    assert.deepEqual(what(), ['done', 'settledBatch']);
    exchange.settleUp();
    await undefined;
    assert.deepEqual(what(), ['done', 'settledBatch']);
  });
});

describe('shared: arguments that are refused', () => {
  test('where one is a getter that throws: no cell is lost', () => {
    const { exchange } = line({ cells: 64, stream: 1024, mail: 4 });
    const args = Object.defineProperty([1], 0, {
      get() {
        throw new RangeError('no number');
      },
    });
    for (let i = 0; i < 100; i++) {
      assert.throws(() => exchange.enter('work', args, i), RangeError);
      assert.throws(() => exchange.capture('work', args, plainRun), RangeError);
    }
    assert.ok(exchange.cells.usedCount <= 1);
  });

  test('where the port refuses what was captured: the task begins and fails, and no cell is lost', () => {
    const { exchange, link, endpoint } = line();
    endpoint.listen({} as EndpointEvents);
    const payload = { args: [() => 1], transfer: [], onSettled: undefined };
    const task = new Task(1, 'work', payload, plainRun, 0, () => undefined);
    link.send(task);
    const { cell, fault } = endpoint.take(1)!;
    assertCode(fault, 'ERR_NOT_CLONEABLE');
    assert.equal(fault.path, 'args[0]');
    endpoint.failed(cell, task.id, { type: 'value', value: 1 }, 1);
    link.drain();
    assert.equal(exchange.cells.outCount, 0);
  });

  test('where no copy can be made for a second try: neither a cell is lost, nor a lease used up', () => {
    const { exchange } = line({ cells: 64, stream: 1024, mail: 4 });
    const lease = newLease(exchange.leaseMemory, 8);
    const { usedBytes } = exchange.arena;
    for (let i = 0; i < 100; i++) {
      const args = [lease, new Proxy({ long: 'x'.repeat(200) }, {})];
      assert.throws(() => exchange.capture('work', args, { ...plainRun, retries: 1 }), {
        code: 'ERR_NOT_CLONEABLE',
      });
    }
    assert.ok(exchange.cells.usedCount <= 1);
    assert.equal(exchange.arena.usedBytes, usedBytes);
    assert.equal(lease.bytes.length, 8);
    lease.release();
    assert.equal(exchange.arena.usedBytes, 0);
  });

  test('where a getter releases a lease, whenever it is called: its memory is not given to the task and to others', () => {
    for (const retries of [0, 1]) {
      for (let call = 1; call <= 1 + retries; call++) {
        const { exchange } = line({ cells: 64, stream: 1024, mail: 4 });
        const lease = newLease(exchange.leaseMemory, 8);
        let calls = 0;
        const other = {
          get value() {
            if (++calls === call) lease.release();
            return 1;
          },
        };
        assert.throws(() => exchange.capture('work', [lease, other], { ...plainRun, retries }), {
          code: 'ERR_LEASE_RELEASED',
        });
        assert.equal(exchange.arena.usedBytes, 0);
      }
    }
  });
});

test('shared: arguments that are longer than a word can count go by port', () => {
  const asked: number[] = [];
  const allocate = (byteLength: number) => {
    asked.push(byteLength);
    throw new RangeError('no memory');
  };
  const arena = new Arena({ allocate, onSegment: () => undefined, maxBytes: () => 2 ** 40 });
  const values = new ValueWriter(new ShapeWriter(new ArrayBuffer(BOOK_BYTES)));
  const cells = new Cells(new SharedArrayBuffer(4 * CELL_BYTES), values, arena);
  assert.equal(cells.write(0, [new Uint8Array(2 ** 31)]), -1);
  assert.deepEqual(asked, []);
  assert.ok(cells.hasFree);
});

test('shared: which results were looked at is known also when more have come since than a word can count', () => {
  for (const tail of [3, 2 ** 31 - 1, -(2 ** 31) + 1, -1]) {
    const found = (back: number) => isAmongLast(3, tail, (tail - back) | 0);
    assert.deepEqual([0, 1, 2].map(found), [true, true, true], `${tail}: not drained yet`);
    for (const back of [3, 4, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1])
      assert.equal(found(back), false, `${tail}: ${back} ago`);
  }
});

describe('shared: the stream of larger results', () => {
  test('begins at the start again where all is read, and then has room for as many as ever', () => {
    const stream = 4096;
    const { exchange, link, endpoint, made, told } = line({ cells: 64, stream, mail: 4 });
    const { words } = exchange.cells;
    /** So many results, each of about a tenth of the stream, and where they lie; undefined: by port. */
    const places = (count: number) =>
      Array.from({ length: count }, (_, i) => {
        assert.ok(exchange.pull.offer(made()));
        const { cell, id } = endpoint.take(1)!;
        endpoint.done(cell, id, `${i}`.repeat(400), undefined, 1);
        const isInStream = words[cell * CELL_WORDS + FORM] === OUTSIDE;
        return isInStream ? words[cell * CELL_WORDS + PLACE]! & (stream - 1) : undefined;
      });
    const [first, second] = places(2);
    assert.equal(first, 0);
    link.drain();
    assert.deepEqual(places(2), [first, second]);
    link.drain();
    const many = places(12);
    assert.equal(many[0], 0);
    assert.ok(many.slice(0, 9).every((place) => place !== undefined));
    assert.equal(many.at(-1), undefined);
    link.drain();
    assert.deepEqual(told(), new Array(16).fill('done'));
    assert.deepEqual(places(12), many);
  });

  test('never counts an unread result as read, also where more bytes than a word can count came while some was unread', () => {
    const { exchange, link, endpoint, made, said } = line({ cells: 64, stream: 2 ** 24, mail: 4 });
    const results = [1, 2, 3].map((value) => new Uint8Array(2 ** 22).fill(value));
    const end = (result: Uint8Array) => {
      assert.ok(exchange.pull.offer(made()));
      const { cell, id } = endpoint.take(1)!;
      endpoint.done(cell, id, result, undefined, 1);
    };
    end(results[0]!);
    for (let i = 0; i < 600; i++) {
      end(results[(i + 1) % 3]!);
      link.drainDone(1);
      const [, task, value] = said.pop()!;
      (task as Task).payload.onSettled?.(false);
      assert.ok(Buffer.compare(value as Uint8Array, results[i % 3]!) === 0, `the result of call ${i}`);
    }
  });
});

describe('shared: main sleeps', () => {
  test('once for all calls of a turn of its event loop, behind the last: until then nobody need wake it', async () => {
    const { exchange, endpoint, made, told, turns } = line();
    const { words } = exchange.board;
    exchange.runTimes.add(0.03);
    const parked = () => Atomics.load(words, MAIN_PARKED);
    for (let call = 0; call < 3; call++) {
      assert.ok(exchange.pull.offer(made(call)));
      await settledPromises(); // as it is behind each callback of the event loop
      assert.deepEqual([parked(), turns.length], [AWAKE, 1]);
    }
    const { cell, id } = endpoint.take(1)!;
    endpoint.done(cell, id, 1, undefined, 1);
    turns.shift()!();
    assert.deepEqual(told(), ['done']);
    await settledPromises();
    assert.deepEqual([parked(), turns.length], [AWAKE, 1]);
    turns.shift()!();
    assert.deepEqual([parked(), turns.length], [ASLEEP, 0]);
    exchange.close();
  });
});

describe('shared: main sleeps at once', () => {
  test('when one long task is out, for its worker may wait for this core; with a second one as ever', async () => {
    const { exchange, made, turns } = line();
    const { words } = exchange.board;
    const parked = () => Atomics.load(words, MAIN_PARKED);
    exchange.runTimes.add(5);
    assert.ok(exchange.pull.offer(made(0)));
    await settledPromises();
    assert.deepEqual([parked(), turns.length], [ASLEEP, 0]);
    assert.ok(exchange.pull.offer(made(1)));
    await settledPromises();
    assert.deepEqual([parked(), turns.length], [AWAKE, 1]);
    turns.shift()!();
    assert.deepEqual([parked(), turns.length], [ASLEEP, 0]);
    exchange.close();
  });
});

describe('shared: a worker that has woken main and has nothing to do blocks for a moment, as main may wait for its core', () => {
  interface Past {
    readonly main: number;
    readonly runMs: number;
    readonly isFree?: boolean;
    readonly answer?: 'ok' | 'timed-out';
  }

  /** It runs one task and rests twice: for how many milliseconds it has blocked, and whether it may take something. */
  function rests(t: TestContext, { main, runMs, isFree = true, answer = 'timed-out' }: Past) {
    const { exchange, endpoint, made } = line();
    const { words } = exchange.board;
    endpoint.listen({ tasks: () => undefined } as unknown as EndpointEvents);
    endpoint.say([TO_MAIN.ready, [], { functions: [], others: [] }] as never);
    assert.ok(exchange.pull.offer(made(1)));
    const { cell, id } = endpoint.take(1)!;
    Atomics.store(words, MAIN_PARKED, main);
    endpoint.done(cell, id, 1, undefined, runMs);
    const blocked: number[] = [];
    t.mock.method(Atomics, 'wait', (_words: Int32Array, _at: number, _value: number, ms: number) => {
      blocked.push(ms);
      return answer;
    });
    const mayTake = [endpoint.rest(isFree, false), endpoint.rest(isFree, false)];
    t.mock.restoreAll();
    exchange.close();
    return { blocked, mayTake };
  }

  test('once for each result, and is woken by what comes', (t) => {
    assert.deepEqual(rests(t, { main: ASLEEP, runMs: 5 }), { blocked: [2], mayTake: [false, false] });
    assert.deepEqual(rests(t, { main: ASLEEP, runMs: 5, answer: 'ok' }), {
      blocked: [2],
      mayTake: [true, false],
    });
  });

  test('and is woken when it is told to retire or to stop, as it hears nothing while it blocks', () => {
    for (const end of ['retire', 'stop'] as const) {
      const { exchange, endpoint, link } = line();
      endpoint.listen({ tasks: () => undefined } as unknown as EndpointEvents);
      assert.equal(endpoint.rest(false), false);
      const { words } = exchange.board;
      const before = Atomics.load(words, wakeupsOf(link.seat));
      link[end]();
      assert.equal(Atomics.load(words, wakeupsOf(link.seat)), before + 1, end);
      exchange.close();
    }
  });

  test('but not where main was awake, where its event loop is needed, and where others rely on its timer', (t) => {
    assert.deepEqual(rests(t, { main: AWAKE, runMs: 5 }).blocked, []);
    assert.deepEqual(rests(t, { main: ASLEEP, runMs: 5, isFree: false }).blocked, []);
    assert.deepEqual(rests(t, { main: ASLEEP, runMs: 0.001 }).blocked, []);
  });
});

describe('shared: a worker that sleeps is woken for mailed tasks', () => {
  function asleep() {
    const all = line();
    all.endpoint.listen({ tasks: () => undefined } as unknown as EndpointEvents);
    all.endpoint.say([TO_MAIN.ready, [], { functions: [], others: [] }] as never);
    const wakeUps = () => Atomics.load(all.exchange.board.words, wakeupsOf(all.link.seat));
    return { ...all, wakeUps };
  }

  test('at once, however short tasks are: main may be blocked', () => {
    const { exchange, endpoint, send, wakeUps } = asleep();
    exchange.runTimes.add(0.001);
    assert.equal(endpoint.rest(false), false);
    send(1);
    assert.equal(wakeUps(), 1);
    exchange.close();
  });

  test('once, behind all that are mailed while the pool is told of results', async () => {
    const { exchange, endpoint, events, send, wakeUps } = asleep();
    send(1);
    const { cell, id } = endpoint.take(1)!;
    endpoint.done(cell, id, 1, undefined, 0.001);
    assert.equal(endpoint.rest(false), false);
    const before = wakeUps();
    const during: number[] = [];
    events.settledBatch = () => {
      for (const value of [2, 3]) {
        send(value);
        during.push(wakeUps() - before);
      }
    };
    await settledPromises();
    assert.deepEqual([during, wakeUps() - before], [[0, 0], 1]);
    exchange.close();
  });
});

describe('shared: a worker that sleeps looks again by itself', () => {
  interface Past {
    readonly calls: number;
    readonly begun: number;
    readonly runMs: number;
    /** The seat of another worker that dozes. */
    readonly other?: number;
  }

  /** It runs so many of `calls` that come, for so many milliseconds each, and sleeps: whether it has set a timer. Its seat is 1. */
  function dozes({ calls, begun, runMs, other }: Past): boolean {
    const { exchange, endpoint, made, timers } = line(undefined, 1);
    if (other !== undefined) exchange.board.set(DOZING, other);
    endpoint.listen({ tasks: () => undefined } as unknown as EndpointEvents);
    endpoint.say([TO_MAIN.ready, [], { functions: [], others: [] }] as never);
    for (let call = 0; call < calls; call++) assert.ok(exchange.pull.offer(made(call)));
    for (let i = 0; i < begun; i++) {
      const { cell, id } = endpoint.take(1)!;
      endpoint.done(cell, id, 1, undefined, runMs);
    }
    const { words } = exchange.board;
    Atomics.store(words, HEAD, Atomics.load(words, TAIL)); // others took the rest
    assert.equal(endpoint.rest(false), false);
    exchange.close();
    return timers.length > 0;
  }

  test('where tiny tasks come, or others took some: then it may be relied on', () => {
    assert.equal(dozes({ calls: 1, begun: 1, runMs: 0.001 }), true);
    assert.equal(dozes({ calls: 3, begun: 1, runMs: 5 }), true);
    assert.equal(dozes({ calls: 2, begun: 0, runMs: 0 }), true);
  });

  test('but not while others see to the tasks that come, if these are tiny: then later', () => {
    const { exchange, endpoint, made, timers } = line(undefined, 1);
    let looks = 0;
    endpoint.listen({ tasks: () => looks++ } as unknown as EndpointEvents);
    endpoint.say([TO_MAIN.ready, [], { functions: [], others: [] }] as never);
    exchange.runTimes.add(0.001);
    assert.ok(exchange.pull.offer(made(0)));
    const { cell, id } = endpoint.take(1)!;
    endpoint.done(cell, id, 1, undefined, 0.001);
    assert.equal(endpoint.rest(false), false);
    assert.ok(exchange.pull.offer(made(1)));
    assert.deepEqual([timers.length, looks], [1, 0]);
    timers[0]!();
    assert.deepEqual([timers.length, looks], [2, 0]);
    timers[1]!(); // no task has come since: somebody may be stuck
    assert.deepEqual([timers.length, looks], [2, 1]);
    exchange.close();
  });

  test('but not where one with a higher seat does: that one is woken last', () => {
    assert.equal(dozes({ calls: 1, begun: 1, runMs: 0.001, other: 0 }), true);
    assert.equal(dozes({ calls: 1, begun: 1, runMs: 0.001, other: 2 }), false);
  });

  test('but not where no task has come, nor where it ran all that came, and each was long: who calls wakes it', () => {
    assert.equal(dozes({ calls: 0, begun: 0, runMs: 0 }), false);
    assert.equal(dozes({ calls: 1, begun: 1, runMs: 5 }), false);
    assert.equal(dozes({ calls: 2, begun: 2, runMs: 5 }), false);
  });
});

describe('shared: main rests', () => {
  test('it is woken for some results together, or when little is left to be done', () => {
    const { exchange, endpoint, made } = line({ cells: 256, stream: 1024, mail: 4 });
    const { words } = exchange.board;
    for (let i = 0; i < 40; i++) assert.ok(exchange.pull.offer(made(i)));
    /** How many tasks end before main is woken. */
    const untilWoken = () => {
      Atomics.store(words, MAIN_PARKED, RESTING);
      let ended = 0;
      for (; Atomics.load(words, MAIN_PARKED) === RESTING; ended++) {
        const { cell, id } = endpoint.take(1)!;
        endpoint.done(cell, id, 1, undefined, 1);
      }
      return ended;
    };
    assert.equal(untilWoken(), 16, 'a batch');
    assert.equal(untilWoken(), 16, 'another one');
    assert.equal(untilWoken(), 4, '36 of 40 have ended: four are left for the one worker');
    assert.equal(untilWoken(), 1, 'from now on for each');
  });

  test('where tasks are tiny, it is not woken before a batch is complete, or the worker has none left', () => {
    const { exchange, endpoint, made } = line({ cells: 64, stream: 1024, mail: 4 });
    const { words } = exchange.board;
    for (let i = 0; i < 24; i++) assert.ok(exchange.pull.offer(made(i)));
    for (const ends of [16, 8]) {
      Atomics.store(words, MAIN_PARKED, RESTING);
      for (let ended = 0; ended < ends; ended++) {
        assert.equal(Atomics.load(words, MAIN_PARKED), RESTING);
        const { cell, id } = endpoint.take(1)!;
        endpoint.done(cell, id, 1, undefined, 0.001);
      }
      assert.equal(Atomics.load(words, MAIN_PARKED), AWAKE);
    }
  });

  test('while tiny tasks lie ready, and sleeps while none does', async () => {
    const { exchange, endpoint, made, endTurn } = line();
    const { words } = exchange.board;
    exchange.runTimes.add(0.001);
    assert.ok(exchange.pull.offer(made(0)));
    await settledPromises();
    endTurn();
    assert.equal(Atomics.load(words, MAIN_PARKED), RESTING);
    assert.ok(endpoint.take(1));
    endTurn(); // the timer
    assert.equal(Atomics.load(words, MAIN_PARKED), ASLEEP);
    exchange.close();
  });
});

describe('shared: an abort that is heard while the arguments of its task are read', () => {
  for (const asks of [true, false]) {
    test(`is told when the task is known, ${asks ? 'as soon as it asks' : 'though it never asks'}`, () => {
      const { link, endpoint, send, timers } = line();
      const aborts: number[] = [];
      endpoint.listen({ abort: (id: number) => void aborts.push(id) } as unknown as EndpointEvents);
      const task = send(/by port/);
      const port = link.wire.port as HandPort;
      const drain = port.drain.bind(port);
      port.drain = () => {
        port.drain = drain;
        link.abort(task, new Error('that is enough'));
        return drain();
      };
      const { cell, args } = endpoint.take(1)!;
      assert.deepEqual([args, aborts], [[/by port/], []]);
      assert.ok(endpoint.isAborting(cell));
      if (asks) endpoint.drain();
      for (const timer of timers.splice(0)) timer();
      assert.deepEqual(aborts, [task.id]);
    });
  }
});

describe('shared: a segment of the arena that was given back', () => {
  test('is not mistaken for the next one of its number by a worker that has yet to hear of both', () => {
    const { exchange, link, endpoint, send, endTurn } = line();
    endpoint.listen(new Proxy({} as EndpointEvents, { get: () => () => undefined }));
    const argumentsOfTask = (text: string) => {
      const task = send(text);
      const begun = endpoint.take(1)!;
      const args = [...begun.args];
      endpoint.done(begun.cell, task.id, undefined, undefined, 1);
      link.drain();
      task.settle({ outcome: 'completed', value: undefined, runMs: 1 });
      return args;
    };
    const [first, second] = ['a'.repeat(300), 'b'.repeat(300)];
    assert.deepEqual(argumentsOfTask(first), [first]);
    const before = exchange.arena.segments[0];
    for (let i = 0; i < 2; i++) endTurn(); // nobody has used it
    assert.equal(exchange.arena.segments[0], undefined);
    assert.deepEqual(argumentsOfTask(second), [second]);
    assert.notEqual(exchange.arena.segments[0], before);
  });
});

describe('shared: a worker that starts', () => {
  const start = (t: TestContext) => {
    const { opened, open } = gate<Record<string, unknown>>();
    const rig = new Rig(ground('shared transport'), { module: opened });
    t.after(() => rig.close());
    return { rig, ready: () => open({ run: () => 'ran' }), task: rig.send('run') };
  };

  test('runs what it was sent before it was ready', async (t) => {
    const { rig, ready, task } = start(t);
    ready();
    assert.equal(await rig.ended(task), 'ran');
  });

  test('takes nothing where main was first, not even what it was sent', async (t) => {
    const { rig, ready, task } = start(t);
    assert.equal(rig.link.forestall(), true);
    ready();
    await rig.heard('ready');
    assert.equal(rig.link.withdraw(task), true);
  });
});

describe('shared: a worker for which there is no memory', () => {
  test('leaves nothing behind: neither a channel, nor a listener, nor a seat that is taken', () => {
    let hasMemory = true;
    let channels = 0;
    const exits = new Set<() => void>();
    const memory = new Memory();
    const platform = handPlatform({ memory, spinners: 0, now: () => 0, later: () => undefined, exits });
    const channel = () => {
      channels++;
      return platform.channel();
    };
    const sharedMemory = (byteLength: number) => {
      if (!hasMemory) throw new RangeError('Array buffer allocation failed');
      return platform.sharedMemory(byteLength);
    };
    const exchange = new SharedExchange({ ...platform, channel, sharedMemory }, { cells: 4, stream: 256 }, 4);
    const refused = () => {
      hasMemory = false;
      assert.throws(() => exchange.connect({} as LinkEvents), RangeError);
      hasMemory = true;
    };
    refused();
    assert.deepEqual([channels, exits.size, exchange.board.words[SEATS_USED]], [0, 0, 0]);
    const links = [exchange.connect({} as LinkEvents), exchange.connect({} as LinkEvents)];
    links[0]!.close();
    refused();
    assert.equal(exchange.connect({} as LinkEvents).seat, 0);
    assert.equal(channels, 3);
  });
});

describe('shared: room', () => {
  test('a mailed task has room while the mailbox has, and there are cells for it', () => {
    const { exchange, link, endpoint, send } = line({ cells: 4, stream: 256, mail: 2 });
    assert.equal(link.room, 2);
    const [first] = [send('a'), send('b')];
    assert.equal(link.room, 0);
    const { cell } = endpoint.take(1)!;
    assert.equal(link.room, 0, 'it was begun, and has not ended');
    endpoint.done(cell, first.id, 1, undefined, 1);
    link.drain();
    assert.equal(link.room, 1);
    assert.ok(exchange.cells.hasFree);
  });

  test('a mailed task that was withdrawn takes its place until the worker has passed it', () => {
    const { link, endpoint, send } = line({ cells: 4, stream: 256, mail: 2 });
    for (const task of [send('a'), send('b')]) assert.equal(link.withdraw(task), true);
    assert.equal(link.room, 0);
    assert.equal(endpoint.take(1), undefined);
    assert.equal(link.room, 2);
  });
});
