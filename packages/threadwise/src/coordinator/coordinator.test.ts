/** The coordinator, with real seats and a main side that only posts: who gets which task, in which order, and what becomes of the rest. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Allowance } from '../core/workers/allowance.js';
import type { Platform, Port, ThreadExit } from '../core/contracts.js';
import { Given } from '../transport/coordinator/given.js';
import { dismissCoordinator, WANTS_HINTS, wakeCoordinator } from '../transport/coordinator/layout.js';
import type { MessageFromCoordinator, MessageToCoordinator } from '../transport/coordinator/messages.js';
import { watchAtomics } from '../transport/interleaving.case.js';
import type { EndpointPlatform } from '../transport/endpoint.js';
import { NotedPort } from '../transport/noted-port.case.js';
import { Board } from '../transport/shared/board.js';
import { TO_WORKER } from '../transport/messages.js';
import { ARGUMENTS } from '../transport/shared/messages.js';
import * as layout from '../transport/shared/layout.js';
import { Coordinator } from './coordinator.js';

/** The number of a seat that does not exist. */
const NOBODY = 999;
const SIZES = { cells: 64, stream: 1024, mail: 128 };
const WORDS = layout.CELL_BYTES / 4;
const DOUBLES = layout.CELL_BYTES / 8;

/** The memory that a pool's threads share, and as much of main as posts and withdraws tasks. */
class Pool {
  readonly board = new Board(new SharedArrayBuffer(layout.boardByteLength(SIZES)));
  readonly words = new Int32Array(new SharedArrayBuffer(SIZES.cells * layout.CELL_BYTES));
  readonly doubles = new Float64Array(this.words.buffer);
  readonly clock = { now: 0 };
  #stamp = 0;
  #lastId = 0;

  constructor() {
    Atomics.store(this.board.words, layout.SEATS_USED, 16);
  }

  /** Posts a task, in the cell that has its number. @param tell sends what comes before the hint */
  post(
    { priority = 0, id = ++this.#lastId, moved = false, name = 1 },
    tell: (word: MessageToCoordinator) => void,
  ) {
    const at = id * WORDS;
    this.words[at + layout.TASK_ID] = id;
    this.words[at + layout.NAME] = name;
    this.words[at + layout.FORM] = moved ? layout.BY_PORT : layout.NOTHING;
    this.doubles[id * DOUBLES + layout.RUN_MS] = priority;
    if (moved) tell([ARGUMENTS, id, id, this.#stamp + 1, 'work', [new ArrayBuffer(1)], [id]]);
    const stamp = layout.stampBits(++this.#stamp);
    Atomics.store(this.words, at + layout.STATE, stamp | layout.POSTED_FOR_ALL);
    const tail = Atomics.load(this.board.words, layout.TAIL);
    this.board.words[layout.ringPlace(tail, SIZES)] = stamp | id;
    Atomics.store(this.board.words, layout.TAIL, tail + 1);
    wakeCoordinator(this.board.words, WANTS_HINTS);
    return id;
  }

  withdraw(id: number): void {
    Atomics.store(this.words, id * WORDS + layout.STATE, layout.FREE);
  }

  stateOf(id: number): number {
    return Atomics.load(this.words, id * WORDS + layout.STATE);
  }
}

/** A worker's end, which begins tasks when it is told to. */
class Worker {
  readonly line = new NotedPort();
  readonly seat: number;
  readonly memory = new SharedArrayBuffer(layout.seatByteLength(SIZES));
  readonly source: Given;
  readonly #own = new Int32Array(this.memory);

  constructor(seat: number, pool: Pool) {
    this.seat = seat;
    this.source = new Given(
      {
        seat,
        sizes: SIZES,
        board: pool.board.words.buffer,
        own: this.memory,
        cells: pool.words.buffer,
      },
      { now: () => pool.clock.now, atExit: () => undefined } as unknown as EndpointPlatform,
    );
  }

  /** The numbers of all tasks that it was ever given. */
  get given(): number[] {
    const { length } = { length: Atomics.load(this.#own, layout.GIVEN_TAIL) };
    return Array.from({ length }, (_, i) => layout.cellOf(this.#own[layout.givenPlace(i, SIZES)]!));
  }

  /** Mails a task for this worker alone. */
  mail(pool: Pool, id: number): void {
    const own = this.#own;
    Atomics.store(pool.words, id * WORDS + layout.STATE, layout.state(layout.POSTED, this.seat));
    own[layout.mailPlace(Atomics.load(own, layout.MAIL_TAIL), SIZES)] = id;
    Atomics.add(own, layout.MAIL_TAIL, 1);
  }
}

interface Options {
  readonly workers?: number;
  readonly tasksPerWorker?: number;
  readonly choose?: string;
  readonly cpuOf?: Platform['cpuOf'];
}

function begin(options: Options = {}) {
  const { workers = 1, tasksPerWorker = 1, choose = 'least-busy' } = options;
  const pool = new Pool();
  const { clock } = pool;
  const main = new NotedPort();
  const timers: (() => void)[] = [];
  const exits: (() => void)[] = [];
  const spawned: { readonly recipe: unknown; readonly exit: (exit: ThreadExit) => void }[] = [];
  const data = {
    ...{ sizes: SIZES, board: pool.board.words.buffer, cells: pool.words.buffer },
    ...{ tasksPerWorker, idleTimeoutMs: 1000 },
  };
  new Coordinator(main, data, {
    port: (far) => far as Port,
    now: () => clock.now,
    nextTurn: () => assert.fail('its time does not pass'),
    timer: (_ms, callback) => {
      timers.push(callback);
      return { cancel: () => void timers.splice(timers.indexOf(callback), 1) };
    },
    cpuOf: options.cpuOf ?? (() => undefined),
    atExit: (callback) => {
      exits.push(callback);
      return () => undefined;
    },
    memory: () => undefined,
    collectShared: () => undefined,
    spawn: (recipe, onExit) => {
      spawned.push({ recipe, exit: onExit });
      return {
        terminate: async () => onExit({ exitCode: 1, outOfMemory: false }),
        utilization: () => 0,
        cpu: () => undefined,
      };
    },
  });
  const tell = (word: MessageToCoordinator) => main.say(word);
  tell(['set', { choose, state: 'open', bounds: undefined }]);
  /** Makes the coordinator take its turn now. */
  const turn = () => tell(['end', NOBODY]);
  const post = (task: { priority?: number; id?: number; moved?: boolean; name?: number } = {}) => {
    const id = pool.post(task, tell);
    turn();
    return id;
  };
  const hire = (seat: number) => {
    const worker = new Worker(seat, pool);
    tell(['hire', seat, worker.memory, [worker.line], undefined]);
    return worker;
  };
  const ready = (worker: Worker) => {
    worker.source.open();
    turn();
  };
  const hands = Array.from({ length: workers }, (_, i) => hire(i + 1));
  for (const worker of hands) ready(worker);
  const end = (worker: Worker, cell: number, runMs = 100) => {
    worker.source.ended(cell, runMs);
    turn();
  };
  /** Begins the next task, and ends it. Returns its number; -1: there was none. */
  const run = (worker: Worker, runMs = 100) => {
    const cell = worker.source.begin(clock.now);
    if (cell >= 0) end(worker, cell, runMs);
    else turn();
    return cell;
  };
  /** `look`: time goes on until the coordinator looks for stalls; `lookLong`: until a worker that has begun nothing counts as stuck. */
  const lookLong = () => {
    for (let i = 0; i < 11; i++) look();
  };
  const look = () => timers.splice(0).forEach((callback) => void callback());
  return {
    pool,
    main,
    tell,
    turn,
    post,
    hire,
    ready,
    hands,
    worker: hands[0]!,
    end,
    run,
    look,
    lookLong,
    timers,
    exits,
    clock,
    spawned,
  };
}

/** What the coordinator has told about the number of workers, and why. */
function wantedOf(main: NotedPort): [wanted: number, why: string | undefined][] {
  const words = main.posted as MessageFromCoordinator[];
  return words.flatMap((word) => (word[0] === 'wanted' ? [[word[1], word[2]?.why]] : []));
}

const givenTo = (hands: readonly Worker[]) => hands.map(({ given }) => given);

describe('coordinator: who gets a task', () => {
  test('nobody before he is ready; then what waited', () => {
    const { post, hire, ready } = begin({ workers: 0 });
    const worker = hire(1);
    post();
    assert.deepEqual(worker.given, []);
    ready(worker);
    assert.deepEqual(worker.given, [1]);
  });

  test('each as many as it may run, the next when one has ended', () => {
    const { post, hands, run } = begin({ workers: 2, tasksPerWorker: 2 });
    for (let i = 0; i < 6; i++) post();
    assert.deepEqual(givenTo(hands), [
      [1, 3],
      [2, 4],
    ]);
    run(hands[1]!);
    assert.deepEqual(hands[1]!.given, [2, 4, 5]);
  });

  test('who runs a task of main’s is not free, and who has one in his mailbox', () => {
    const { pool, post, hands, run } = begin({ workers: 2 });
    hands[0]!.mail(pool, 50);
    post();
    post();
    assert.deepEqual(givenTo(hands), [[], [1]]);
    assert.equal(run(hands[0]!), 50);
    assert.deepEqual(hands[0]!.given, [2]);
  });

  test('the strategy that was named chooses; another one, from the next task on', () => {
    const { tell, post, hands, run } = begin({ workers: 3, choose: 'round-robin' });
    for (const worker of hands) {
      post();
      run(worker);
    }
    assert.deepEqual(givenTo(hands), [[1], [2], [3]]);
    tell(['set', { choose: 'least-busy' }]);
    post();
    assert.deepEqual(givenTo(hands), [[1, 4], [2], [3]]);
  });

  test('quick ones are given ahead, and the next when half of them are left; what is moved is not', () => {
    const { pool, tell, post, worker, run, turn } = begin();
    post();
    run(worker, 0.05);
    for (let i = 0; i < 20; i++) pool.post({}, tell);
    turn();
    assert.equal(worker.given.length, 12, 'one to run, and 0.5 ms of others');
    for (let left = 10; left > 5; left--) {
      worker.source.ended(worker.source.begin(0), 0.05);
      turn();
      assert.equal(worker.given.length, 12, `${left} are left`);
    }
    run(worker, 0.05);
    assert.ok(worker.given.length > 12);
    const moving = begin();
    moving.post();
    moving.run(moving.worker, 0.05);
    moving.post();
    moving.post({ moved: true });
    assert.deepEqual(moving.worker.given, [1, 2]);
  });

  test('arguments that go by port are there before the hint is, and only one can run what was moved', () => {
    const { pool, post, worker } = begin();
    const id = post({ moved: true });
    assert.deepEqual(worker.line.posted, [[ARGUMENTS, id, id, 1, 'work', [new ArrayBuffer(1)], [id]]]);
    assert.equal(layout.phaseOf(pool.stateOf(id)), layout.POSTED);
    assert.equal(layout.seatOf(pool.stateOf(id)), worker.seat);
    assert.equal(worker.source.begin(0), id);
  });
});

describe('coordinator: in which order', () => {
  test('first in first out within a priority, the more urgent first', () => {
    const { post, worker, end, run } = begin();
    post();
    const running = worker.source.begin(0);
    for (const priority of [0, 5, 0, 5]) post({ priority });
    end(worker, running);
    for (let i = 0; i < 3; i++) run(worker);
    assert.deepEqual(worker.given, [1, 3, 5, 2, 4]);
  });

  test('those that main had put back come before younger ones of their priority, in their order', () => {
    const { pool, tell, post, worker, run } = begin();
    post({ id: 1 });
    for (const id of [5, 6]) post({ id });
    pool.post({ id: 3 }, tell);
    post({ id: 4 });
    post({ id: 7 });
    for (let i = 0; i < 5; i++) run(worker);
    assert.deepEqual(worker.given, [1, 3, 4, 5, 6, 7]);
  });

  test('what was taken back keeps no arguments that came by port', async () => {
    const { pool, post, run, worker, tell, turn } = begin();
    post();
    let args: WeakRef<object> | undefined;
    const id = pool.post({ moved: true }, (word) => {
      args = new WeakRef(word);
      tell(word);
    });
    turn();
    pool.withdraw(id);
    run(worker);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await nextTurn();
    collect();
    assert.equal(args?.deref(), undefined);
  });

  for (const where of ['had come', 'lay in the port']) {
    test(`arguments that ${where} when main took their task back unread are not kept`, async () => {
      const { pool, main, turn, tell } = begin();
      const port: MessageToCoordinator[] = [];
      main.drain = () => port.splice(0).map(tell).length;
      let args: WeakRef<object> | undefined;
      const id = pool.post({ moved: true }, (word) => {
        args = new WeakRef(word);
        port.push(word);
        if (where === 'had come') main.drain();
      });
      pool.withdraw(id);
      turn();
      main.drain();
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      await nextTurn();
      collect();
      assert.equal(args?.deref(), undefined);
    });
  }

  test('once a task has begun, its arguments that came by port are kept by its worker alone', async () => {
    const { pool, tell, turn, end, look, worker } = begin();
    let args: WeakRef<object> | undefined;
    pool.post({ moved: true }, (word) => {
      args = new WeakRef(word);
      tell(word);
    });
    turn();
    worker.line.posted.length = 0;
    const cell = worker.source.begin(0);
    look();
    end(worker, cell);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await nextTurn();
    collect();
    assert.equal(args?.deref(), undefined);
  });

  test('what was taken back is not given, and its place is no place of the next one', () => {
    const { pool, post, worker, run } = begin();
    post();
    for (const id of [2, 3]) post({ id });
    pool.withdraw(2);
    post({ id: 4 });
    post({ id: 2 });
    while (run(worker) >= 0);
    assert.deepEqual(worker.given.toSorted(), [1, 2, 3, 4]);
  });
});

describe('coordinator: paused', () => {
  test('what waits is given to nobody, whatever ends or comes, and goes on in order', () => {
    const { tell, post, worker, run } = begin();
    post();
    const waiting = [post({ moved: true }), post()];
    tell(['set', { state: 'paused' }]);
    run(worker);
    const late = post();
    assert.equal(worker.given.length, 1);
    tell(['set', { state: 'open' }]);
    while (run(worker) >= 0);
    assert.deepEqual(worker.given.slice(1), [...waiting, late]);
  });

  test('what waits is no reason for workers until it goes on', () => {
    const { tell, post, main } = begin({ workers: 0 });
    tell(['set', { bounds: { min: 0, max: 3, cores: 4 } }]);
    tell(['set', { state: 'paused' }]);
    post({ moved: true });
    assert.deepEqual(wantedOf(main), [[0, undefined]]);
    tell(['set', { state: 'open' }]);
    assert.equal(wantedOf(main).at(-1)?.[0], 1);
  });
});

describe('coordinator: how many workers there should be', () => {
  test('it says nothing before it knows the bounds', () => {
    const { post, main } = begin({ workers: 0 });
    post();
    assert.deepEqual(wantedOf(main), []);
  });

  test('one for each task that waits, within the bounds; each number is told once', () => {
    const { post, main, tell } = begin();
    tell(['set', { bounds: { min: 1, max: 3, cores: 4 } }]);
    post();
    assert.deepEqual(wantedOf(main), [[1, undefined]], 'one runs, none waits');
    post();
    assert.deepEqual(wantedOf(main).at(-1), [2, '1 task waits for a worker, and there are 4 cores']);
    for (let i = 0; i < 3; i++) post();
    assert.deepEqual(
      wantedOf(main).map(([wanted]) => wanted),
      [1, 2, 3],
    );
  });

  test('none for tasks that main has taken back', () => {
    const { pool, post, main, tell } = begin();
    for (const id of [post(), post(), post(), post()].slice(2)) pool.withdraw(id);
    tell(['set', { bounds: { min: 1, max: 4, cores: 4 } }]);
    assert.deepEqual(wantedOf(main), [[2, '1 task waits for a worker, and there are 4 cores']]);
  });

  test('a task counts once also while its worker is in the middle of beginning it', () => {
    const { post, main, tell, turn, worker } = begin();
    tell(['set', { bounds: { min: 1, max: 3, cores: 4 } }]);
    post();
    let isLooking = false;
    const look = () => {
      if (isLooking) return;
      isLooking = true;
      turn();
      isLooking = false;
    };
    const restore = watchAtomics({ before: look });
    try {
      assert.equal(worker.source.begin(0), 1);
    } finally {
      restore();
    }
    assert.deepEqual(wantedOf(main), [[1, undefined]]);
  });

  test('those that start already count', () => {
    const { post, main, tell, hire } = begin();
    tell(['set', { bounds: { min: 1, max: 8, cores: 4 } }]);
    post();
    post();
    hire(2);
    post();
    assert.equal(wantedOf(main).at(-1)?.[0], 3);
  });

  test('one fewer when a worker has been idle for too long, down to the minimum', () => {
    const { main, tell, clock, look, hands } = begin({ workers: 3 });
    tell(['set', { bounds: { min: 1, max: 3, cores: 4 } }]);
    clock.now = 999;
    look();
    assert.deepEqual(wantedOf(main), [[3, undefined]]);
    clock.now = 1000;
    look();
    assert.deepEqual(wantedOf(main).at(-1), [2, 'a worker has been idle for 1000 ms']);
    tell(['retire', hands[2]!.seat]);
    assert.equal(wantedOf(main).at(-1)?.[0], 1);
    tell(['retire', hands[1]!.seat]);
    clock.now = 100_000;
    look();
    assert.equal(wantedOf(main).at(-1)?.[0], 1);
  });

  test('a task that comes while it waits for room is seen all the same', () => {
    const { pool, main, tell, look, post } = begin();
    tell(['set', { bounds: { min: 1, max: 3, cores: 4 } }]);
    post();
    post();
    pool.post({}, tell);
    look();
    assert.equal(wantedOf(main).at(-1)?.[0], 3);
  });

  test('where main starts nobody, a prepared one is started, also one that is prepared only then', () => {
    const { post, tell, look, spawned } = begin();
    tell(['set', { bounds: { min: 1, max: 2, cores: 4 } }]);
    post();
    post();
    look();
    assert.equal(spawned.length, 0, 'nobody is prepared');
    const { memory } = new Worker(2, new Pool());
    tell(['hire', 2, memory, [new NotedPort()], 'recipe']);
    look();
    assert.deepEqual(
      spawned.map(({ recipe }) => recipe),
      ['recipe'],
    );
  });

  test('prepared ones that are dropped are gone, and never started; one that was started stays', () => {
    const { main, post, tell, look, spawned } = begin();
    tell(['set', { bounds: { min: 1, max: 3, cores: 4 } }]);
    post();
    post();
    const ports = Array.from({ length: 4 }, () => new NotedPort());
    const hire = (seat: number) =>
      tell(['hire', seat, new Worker(seat, new Pool()).memory, [ports[seat]!], seat]);
    hire(2);
    look();
    hire(3);
    tell(['drop', 1]);
    const ended = (main.posted as MessageFromCoordinator[]).filter(([type]) => type === 'exited');
    assert.deepEqual(ended, [['exited', 3, { exitCode: 0, outOfMemory: false }, undefined]]);
    assert.deepEqual([ports[2]!.isClosed, ports[3]!.isClosed], [false, true]);
    post();
    look();
    assert.deepEqual(
      spawned.map(({ recipe }) => recipe),
      [2],
    );
  });

  test('what the last worker of a seat has computed is not held against the next one', () => {
    const usedMs = [0, 500, 5];
    const cpuOf = (thread: number) => ({ usedMs: usedMs[thread]!, waitedMs: 0 });
    const { main, tell, post, hire, ready, look, clock } = begin({ workers: 0, cpuOf });
    tell(['set', { bounds: { min: 1, max: 8, cores: 1 } }]);
    for (let i = 0; i < 20; i++) post();
    for (const thread of [1, 2]) {
      const worker = hire(1);
      ready(worker);
      new Int32Array(worker.memory)[layout.THREAD_ID] = thread;
      worker.source.begin(clock.now);
      clock.now += 100;
      look();
      if (thread === 1) tell(['gone', 1]);
    }
    assert.ok(wantedOf(main).every(([wanted]) => wanted <= 1));
  });

  /** A worker on one core, which has ended so many tasks before, runs one in each 100 ms, until more workers are to be tried. */
  const untilMoreAreTried = (ended = 0) => {
    const begun = begin({ workers: 0 });
    const { main, tell, post, hire, ready, run, look, clock } = begun;
    tell(['set', { bounds: { min: 1, max: 8, cores: 1 } }]);
    const hireReady = (seat: number) => {
      const worker = hire(seat);
      ready(worker);
      return worker;
    };
    const workers = [hireReady(1)];
    new Float64Array(workers[0]!.memory)[layout.ENDED] = ended;
    for (let i = 0; i < 50; i++) post();
    const measure = () => {
      clock.now += 100;
      look();
      for (const worker of workers) run(worker);
    };
    const hasTried = () => wantedOf(main).some(([, why]) => why?.startsWith('tries') === true);
    while (!hasTried() && clock.now < 5000) measure();
    return { ...begun, workers, hireReady, measure };
  };

  test('what was wanted after a measurement stays so until main has done it', () => {
    const { main, turn } = untilMoreAreTried();
    turn();
    assert.equal(wantedOf(main).at(-1)?.[0], 2);
  });

  test('a worker that has run enough counts until main replaces it, or a prepared one does', () => {
    const { main, tell, turn, hireReady, measure, spawned } = untilMoreAreTried();
    const wanted = () => wantedOf(main).at(-1)?.[0];
    const leave = (worker: Worker) => {
      Atomics.store(new Int32Array(worker.memory), layout.LEAVING, 1);
      turn();
    };
    leave(hireReady(2));
    assert.equal(wanted(), 2);
    tell(['retire', 2]);
    tell(['hire', 4, new Worker(4, new Pool()).memory, [new NotedPort()], 'recipe']);
    leave(hireReady(3));
    assert.equal(spawned.length, 0);
    measure();
    assert.equal(spawned.length, 1);
    turn();
    assert.equal(wanted(), 2);
  });

  test('a worker that main is replacing counts until the next one is hired', () => {
    const { main, tell, hire, ready, hands } = begin({ workers: 3 });
    tell(['set', { bounds: { min: 1, max: 4, cores: 2 } }]);
    const wanted = () => wantedOf(main).map(([count]) => count);
    assert.deepEqual(wanted(), [3]);
    for (const { seat } of hands) {
      tell(['replace', seat]);
      const next = new Worker(seat + 3, new Pool());
      tell(['hire', 9, new Worker(9, new Pool()).memory, [new NotedPort()], 'recipe']); // prepared for later: no replacement
      tell(['hire', next.seat, next.memory, [new NotedPort()], undefined]);
      tell(['gone', seat]);
    }
    assert.deepEqual(wanted(), [3]);
    ready(hire(7));
    assert.deepEqual(wanted(), [3, 4], 'who is hired without a word counts as one more');
  });

  test('the tasks of workers that are gone count for what was got done', () => {
    const { main, tell, workers, hireReady, measure, clock } = untilMoreAreTried();
    workers.push(hireReady(2));
    measure();
    measure();
    tell(['gone', 1]);
    workers[0] = hireReady(3);
    const comparison = () => wantedOf(main).find(([, why]) => why?.includes('throughput'))?.[1];
    while (comparison() === undefined && clock.now < 5000) measure();
    assert.match(comparison()!, /\+\d+ % throughput with 2 workers instead of 1/);
  });

  test('what is wanted is told anew with new bounds: main has forgotten it', () => {
    const { main, tell } = begin({ workers: 1 });
    for (const max of [4, 8]) tell(['set', { bounds: { min: 1, max, cores: 4 } }]);
    assert.deepEqual(
      wantedOf(main).map(([wanted]) => wanted),
      [1, 1],
    );
  });

  test('what is got done is measured alike when a worker has ended 2^31 tasks', () => {
    const [first, later] = [0, 2 ** 31 - 10].map((ended) => {
      const { main, workers, hireReady, measure, clock } = untilMoreAreTried(ended);
      workers.push(hireReady(2));
      while (clock.now < 5000) measure();
      return wantedOf(main);
    });
    assert.deepEqual(later, first);
  });

  test('new bounds hold at once', () => {
    const { main, tell } = begin({ workers: 3 });
    tell(['set', { bounds: { min: 1, max: 3, cores: 4 } }]);
    tell(['set', { bounds: { min: 2, max: 2, cores: 4 } }]);
    assert.equal(wantedOf(main).at(-1)?.[0], 2);
  });
});

describe('coordinator: who does not get on', () => {
  test('is not who is slow to begin: a task is taken back soon only from who runs another one', () => {
    const { main, tell, post, worker, look } = begin();
    tell(['set', { bounds: { min: 1, max: 2, cores: 4 } }]);
    post();
    for (let i = 0; i < 5; i++) look();
    assert.deepEqual(wantedOf(main), [[1, undefined]], 'nobody else is wanted for it');
    const other = begin({ tasksPerWorker: 2 });
    other.tell(['set', { bounds: { min: 1, max: 2, cores: 4 } }]);
    other.post();
    assert.equal(other.worker.source.begin(0), 1);
    other.post();
    other.look();
    other.look();
    assert.equal(wantedOf(other.main).at(-1)?.[0], 2);
    assert.equal(worker.source.begin(0), 1);
  });

  test('loses what it has not begun to who is free, and gets nothing more until it gets on', () => {
    const { post, hands, lookLong, run } = begin({ workers: 2 });
    const [slow, quick] = hands as [Worker, Worker];
    post();
    post();
    run(quick);
    lookLong();
    assert.deepEqual(quick.given, [2, 1]);
    run(quick);
    post();
    post();
    assert.deepEqual(slow.given, [1]);
    assert.equal(run(slow), -1, 'it passes over what another one has run');
    assert.deepEqual(slow.given, [1, 4]);
  });

  test('may begin it all the same, as long as nobody else has', () => {
    const { post, hands, lookLong } = begin({ workers: 2 });
    const [slow, quick] = hands as [Worker, Worker];
    post();
    lookLong();
    assert.deepEqual(quick.given, [1]);
    assert.equal(slow.source.begin(0), 1);
    assert.equal(quick.source.begin(0), -1);
  });

  test('keeps what was assigned to it', () => {
    const { post, hands, lookLong } = begin({ workers: 2 });
    post({ moved: true });
    lookLong();
    assert.deepEqual(givenTo(hands), [[1], []]);
  });

  test('nobody is watched while nothing lies unbegun, or all of it was taken back', () => {
    const { post, run, worker, look, lookLong, timers } = begin();
    post();
    run(worker);
    look();
    assert.equal(timers.length, 0);
    post();
    lookLong();
    look();
    assert.equal(timers.length, 0);
  });
});

describe('coordinator: who leaves', () => {
  test('a retiring worker hears of it behind what it was assigned, and others get what it has not begun', () => {
    const { post, tell, hands, run } = begin({ workers: 2, tasksPerWorker: 2 });
    const [leaving, other] = hands as [Worker, Worker];
    post();
    post();
    const moved = post({ moved: true });
    tell(['retire', leaving.seat]);
    assert.deepEqual(leaving.line.posted.at(-1), [TO_WORKER.retire]);
    assert.deepEqual(other.given, [2, 1]);
    assert.equal(leaving.source.retire(), false, 'one is left');
    assert.equal(run(leaving), moved);
    assert.equal(leaving.source.retire(), true);
    assert.equal(run(leaving), -1);
    assert.equal(run(other), 2);
    assert.equal(run(other), 1);
  });

  test('one that has run enough gets nothing more, and what it passes over is not lost', () => {
    const { post, hands, run, turn } = begin({ workers: 2, tasksPerWorker: 3 });
    const [leaving, other] = hands as [Worker, Worker];
    leaving.source.limit(Allowance.of(1, (byteLength) => new SharedArrayBuffer(byteLength)));
    for (let i = 0; i < 4; i++) post();
    assert.deepEqual(givenTo(hands), [
      [1, 3],
      [2, 4],
    ]);
    assert.equal(run(leaving), 1);
    assert.equal(leaving.source.begin(0), -1);
    turn();
    assert.deepEqual(other.given, [2, 4, 3]);
    post();
    assert.equal(leaving.given.length, 2);
  });

  test('of a dead one’s, what had begun is main’s to tell of, the rest runs elsewhere; then its seat is free', () => {
    const { post, tell, main, hands, run } = begin({ workers: 2, tasksPerWorker: 2 });
    const [dead, other] = hands as [Worker, Worker];
    for (let i = 0; i < 5; i++) post();
    dead.source.begin(0); // begins task 1; it also has 3, the other one 2 and 4; 5 waits
    tell(['gone', dead.seat]);
    assert.ok(dead.line.isClosed);
    assert.deepEqual(main.posted, [['released', dead.seat]]);
    run(other);
    run(other);
    assert.deepEqual(other.given, [2, 4, 3, 5]);
  });

  test('whoever is not known is released all the same', () => {
    const { tell, main, worker } = begin();
    tell(['gone', worker.seat]);
    tell(['retire', worker.seat]);
    tell(['gone', 7]);
    assert.deepEqual(main.posted, [
      ['released', worker.seat],
      ['released', 7],
    ]);
  });
});

describe('coordinator: its thread is being ended', () => {
  /** How many wait for the coordinator's word; this wakes them. */
  const waiting = ({ words }: Board) => Atomics.notify(words, layout.COORDINATOR);
  /** Resolves when whoever was woken has heard of it, and sleeps again. */
  const settledPromises = () => new Promise((resolve) => void setImmediate(resolve));

  test('it waits for nothing any more, whether it has tasks or not', async () => {
    const { pool, post, turn } = begin();
    await settledPromises();
    assert.equal(waiting(pool.board), 1);
    await settledPromises();
    dismissCoordinator(pool.board.words);
    assert.equal(waiting(pool.board), 0);
    await settledPromises();
    assert.equal(waiting(pool.board), 0);
    turn();
    assert.equal(waiting(pool.board), 0);
    post();
    post(); // finds no room
    assert.equal(waiting(pool.board), 0);
  });

  test('it is no different where it had looked before it was told', async (t) => {
    const { pool, turn } = begin();
    const { words } = pool.board;
    await settledPromises();
    wakeCoordinator(words, WANTS_HINTS);
    const own = Atomics as unknown as { waitAsync: (...args: unknown[]) => unknown };
    const { waitAsync } = own;
    let told = 0;
    t.after(() => Object.assign(own, { waitAsync }));
    own.waitAsync = (...args) => {
      told++;
      dismissCoordinator(words);
      return waitAsync(...args);
    };
    await settledPromises();
    turn();
    assert.equal(told, 1);
    assert.equal(waiting(pool.board), 0);
  });

  test('where it ends by itself, the workers that it has started do not wait, either', async () => {
    const { pool, post, tell, look, exits, spawned, worker } = begin();
    await settledPromises();
    tell(['set', { bounds: { min: 1, max: 2, cores: 4 } }]);
    post();
    post();
    tell(['hire', 2, new Worker(2, new Pool()).memory, [new NotedPort()], 'recipe']);
    look();
    assert.equal(spawned.length, 1);
    for (const exit of exits) exit();
    assert.equal(waiting(pool.board), 0);
    assert.ok(pool.board.isDismissed(2));
    assert.ok(!pool.board.isDismissed(worker.seat), 'main has started this one');
  });
});
