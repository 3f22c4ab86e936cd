/** The coordinator, with lines that take notes: who gets which task, in which order, and what becomes of the rest. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Port, ThreadExit } from '../core/contracts.js';
import { plainRun } from '../core/fake-platform.case.js';
import { Task } from '../core/task.js';
import { boardByteLength, TicketOwner, TicketReader } from '../transport/coordinator/ticket-board.js';
import {
  FROM_COORDINATOR,
  FROM_SEAT,
  TO_COORDINATOR,
  TO_SEAT,
  type WordFromCoordinator,
  type WordFromSeat,
  type WordToCoordinator,
  type WordToSeat,
} from '../transport/coordinator/words.js';
import { NotedPort } from '../transport/noted-port.case.js';
import { Coordinator } from './coordinator.js';

/** A worker's end: begins what it was given, when told to. */
class Worker {
  readonly line = new NotedPort();
  readonly seat: number;
  readonly #reader: TicketReader;
  #read = 0;

  constructor(seat: number, reader: TicketReader) {
    this.seat = seat;
    this.#reader = reader;
  }

  get words(): readonly WordToSeat[] {
    return this.line.posted as WordToSeat[];
  }

  /** The numbers of all tasks that it was ever given. */
  get given(): number[] {
    return this.words.flatMap((word) => (word[0] === TO_SEAT.task ? [word[2]] : []));
  }

  say(word: WordFromSeat): void {
    this.line.say(word);
  }

  /** Begins the next task that it was given and not begun; undefined: it had been taken back, or begun elsewhere. */
  begin(): number | undefined {
    const word = this.words[this.#read++];
    if (word?.[0] !== TO_SEAT.task) throw new Error('nothing was given');
    const [, ticket] = word;
    if (this.#reader.begin(ticket, this.seat, 1) >= 0) return ticket;
    this.say([FROM_SEAT.passed, ticket]);
    return undefined;
  }

  run(runMs = 1): void {
    const ticket = this.begin();
    if (ticket !== undefined) this.say([FROM_SEAT.ended, ticket, 'work', runMs, 0]);
  }
}

interface Given {
  readonly workers?: number;
  readonly tasksPerWorker?: number;
  readonly choose?: string;
}

function begin({ workers = 1, tasksPerWorker = 1, choose = 'least-busy' }: Given = {}) {
  const memory = new SharedArrayBuffer(boardByteLength(64));
  const [owner, reader] = [new TicketOwner(memory), new TicketReader(memory)];
  const main = new NotedPort();
  const timers: (() => void)[] = [];
  const clock = { now: 0 };
  const spawned: { readonly recipe: unknown; readonly exit: (exit: ThreadExit) => void }[] = [];
  new Coordinator(
    main,
    { board: memory, tasksPerWorker, choose, scaling: 'on-demand', cores: 4, idleTimeoutMs: 1000 },
    {
      port: (far) => far as Port,
      now: () => clock.now,
      timer: (_ms, callback) => {
        timers.push(callback);
        return { cancel: () => void timers.splice(timers.indexOf(callback), 1) };
      },
      cpu: () => undefined,
      memory: () => undefined,
      spawn: (recipe, onExit) => {
        spawned.push({ recipe, exit: onExit });
        return {
          terminate: async () => onExit({ exitCode: 1, outOfMemory: false }),
          utilization: () => 0,
          cpu: () => undefined,
        };
      },
    },
  );
  const tell = (word: WordToCoordinator) => main.say(word);
  let lastId = 0;
  const post = ({ priority = 0, id = ++lastId, moved = false } = {}) => {
    const payload = { args: [id], transfer: [], onSettled: undefined };
    const task = new Task(id, 'work', payload, plainRun, 0, () => undefined);
    const ticket = owner.post(task);
    const transfer = moved ? [new ArrayBuffer(1)] : [];
    tell([TO_COORDINATOR.task, ticket, id, 'work', priority, transfer, [id]]);
    return { task, ticket };
  };
  const hire = (seat: number) => {
    const worker = new Worker(seat, reader);
    tell([TO_COORDINATOR.hire, seat, worker.line]);
    return worker;
  };
  const crew = Array.from({ length: workers }, (_, i) => hire(i + 1));
  for (const worker of crew) worker.say([FROM_SEAT.hello, 0]);
  /** Time goes on until the coordinator looks for stalls. */
  const look = () => timers.splice(0).forEach((callback) => void callback());
  return { owner, main, tell, post, hire, crew, worker: crew[0]!, look, timers, clock, spawned };
}

/** What was said about the number of workers, and why. */
function wantedOf(main: NotedPort): [wanted: number, why: string | undefined][] {
  const words = main.posted as WordFromCoordinator[];
  return words.flatMap((word) => (word[0] === FROM_COORDINATOR.wanted ? [[word[1], word[2]?.why]] : []));
}

describe('coordinator: paused', () => {
  test('what waits is given to nobody, whatever ends or comes, and goes on in order', () => {
    const { tell, post, worker } = begin();
    post();
    const waiting = [post({ moved: true }), post()];
    tell([TO_COORDINATOR.pause, 'paused']);
    worker.run();
    const late = post();
    assert.equal(worker.given.length, 1);
    tell([TO_COORDINATOR.pause, 'open']);
    while (worker.given.length < 4) worker.run();
    assert.deepEqual(
      worker.given.slice(1),
      [...waiting, late].map(({ task }) => task.id),
    );
  });

  test('what waits is no reason for workers until it goes on', () => {
    const { tell, post, main } = begin({ workers: 0 });
    tell([TO_COORDINATOR.bounds, 0, 3]);
    tell([TO_COORDINATOR.pause, 'paused']);
    post({ moved: true });
    assert.deepEqual(wantedOf(main), [[0, undefined]]);
    tell([TO_COORDINATOR.pause, 'open']);
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
    tell([TO_COORDINATOR.bounds, 1, 3]);
    post();
    assert.deepEqual(wantedOf(main), [[1, undefined]], 'one runs, none waits');
    post();
    assert.deepEqual(wantedOf(main).at(-1), [2, '1 task waits for a worker']);
    post();
    post();
    post();
    assert.deepEqual(
      wantedOf(main).map(([wanted]) => wanted),
      [1, 2, 3],
    );
  });

  test('those that start already count', () => {
    const { post, main, tell, hire } = begin();
    tell([TO_COORDINATOR.bounds, 1, 8]);
    post();
    post();
    hire(2);
    post();
    assert.equal(wantedOf(main).at(-1)?.[0], 3);
  });

  test('one fewer when a worker has been idle for too long, down to the minimum', () => {
    const { main, tell, clock, look, crew } = begin({ workers: 3 });
    tell([TO_COORDINATOR.bounds, 1, 3]);
    clock.now = 999;
    look();
    assert.deepEqual(wantedOf(main), [[3, undefined]]);
    clock.now = 1000;
    look();
    assert.deepEqual(wantedOf(main).at(-1), [2, 'a worker has been idle for 1000 ms']);
    tell([TO_COORDINATOR.retire, crew[2]!.seat]);
    assert.equal(wantedOf(main).at(-1)?.[0], 1);
    tell([TO_COORDINATOR.retire, crew[1]!.seat]);
    clock.now = 100_000;
    look();
    assert.equal(wantedOf(main).at(-1)?.[0], 1);
  });

  test('one that is stuck in what was taken back from it is not idle: the next task needs another', () => {
    const { post, main, tell, worker, look, clock } = begin();
    tell([TO_COORDINATOR.bounds, 1, 2]);
    post();
    look();
    look(); // it has not begun in time, so what it was given waits again
    worker.begin(); // and now it has, and says nothing until the end
    post();
    assert.deepEqual(wantedOf(main).at(-1), [2, '1 task waits for a worker']);
    clock.now = 100_000;
    look();
    assert.equal(wantedOf(main).at(-1)?.[0], 2, 'and is not released for having been idle');
  });

  test('where main starts nobody, a prepared one is started, also one that is prepared only then', () => {
    const { post, tell, look, spawned } = begin();
    tell([TO_COORDINATOR.bounds, 1, 2]);
    post();
    post();
    look();
    assert.equal(spawned.length, 0, 'nobody is prepared');
    tell([TO_COORDINATOR.reserve, 2, new NotedPort(), 'recipe']);
    look();
    assert.deepEqual(
      spawned.map(({ recipe }) => recipe),
      ['recipe'],
    );
  });

  test('new bounds hold at once', () => {
    const { main, tell } = begin({ workers: 3 });
    tell([TO_COORDINATOR.bounds, 1, 3]);
    tell([TO_COORDINATOR.bounds, 2, 2]);
    assert.equal(wantedOf(main).at(-1)?.[0], 2);
  });
});

describe('coordinator: who gets a task', () => {
  test('nobody before he has said hello; then what waited', () => {
    const { post, hire } = begin({ workers: 0 });
    const worker = hire(1);
    post();
    assert.deepEqual(worker.given, []);
    worker.say([FROM_SEAT.hello, 0]);
    assert.deepEqual(worker.given, [1]);
  });

  test('each as many as it may run, the next when one has ended', () => {
    const { post, crew } = begin({ workers: 2, tasksPerWorker: 2 });
    for (let i = 0; i < 6; i++) post();
    assert.deepEqual(
      crew.map(({ given }) => given),
      [
        [1, 3],
        [2, 4],
      ],
    );
    crew[1]!.run(100);
    assert.deepEqual(crew[1]!.given, [2, 4, 5]);
  });

  test('who runs a task of main’s is not free', () => {
    const { post, crew } = begin({ workers: 2 });
    crew[0]!.say([FROM_SEAT.letters, 1]);
    post();
    post();
    assert.deepEqual(crew[0]!.given, []);
    assert.deepEqual(crew[1]!.given, [1]);
    crew[0]!.say([FROM_SEAT.letters, 0]);
    assert.deepEqual(crew[0]!.given, [2]);
  });

  test('the strategy that was named chooses', () => {
    const { post, crew } = begin({ workers: 3, choose: 'round-robin' });
    post();
    crew[0]!.run(100);
    post();
    crew[1]!.run(100);
    post();
    assert.deepEqual(
      crew.map(({ given }) => given),
      [[1], [2], [3]],
    );
  });

  test('tiny tasks are given ahead, those that move their arguments are not', () => {
    const { post, worker } = begin();
    post();
    worker.run(0.001);
    post();
    post();
    assert.deepEqual(worker.given, [1, 2, 3]);
    post({ moved: true });
    assert.deepEqual(worker.given, [1, 2, 3]);
  });

  test('arguments, name and number arrive, and whether they were moved', () => {
    const { post, worker } = begin({ tasksPerWorker: 2 });
    const { ticket } = post();
    const moved = post({ moved: true });
    assert.deepEqual(worker.words, [
      [TO_SEAT.task, ticket, 1, 'work', false, [1]],
      [TO_SEAT.task, moved.ticket, 2, 'work', true, [2]],
    ]);
  });
});

describe('coordinator: by another strategy', () => {
  test('that it is told of, the next task is given', () => {
    const { post, crew, tell } = begin({ workers: 2, tasksPerWorker: 10 });
    tell([TO_COORDINATOR.choose, 'round-robin']);
    for (let i = 0; i < 4; i++) post();
    const [one, other] = crew.map(({ given }) => given);
    assert.deepEqual(
      [one, other],
      [
        [1, 3],
        [2, 4],
      ],
    );
    tell([TO_COORDINATOR.choose, 'least-busy']);
    crew[1]!.run();
    crew[1]!.run();
    post();
    post();
    assert.deepEqual(crew[1]!.given, [2, 4, 5, 6]);
  });
});

describe('coordinator: in which order', () => {
  test('first in first out within a priority, the more urgent first', () => {
    const { post, worker } = begin();
    post();
    const running = worker.begin()!;
    for (const priority of [0, 5, 0, 5]) post({ priority });
    worker.say([FROM_SEAT.ended, running, 'work', 100, 0]);
    for (let i = 0; i < 3; i++) worker.run(100);
    assert.deepEqual(worker.given, [1, 3, 5, 2, 4]);
  });

  test('one that main had put back comes before younger ones of its priority', () => {
    const { post, worker } = begin({ workers: 1 });
    post({ id: 1 });
    for (const id of [5, 6]) post({ id });
    for (const id of [4, 3]) post({ id });
    post({ id: 7 });
    for (let i = 0; i < 5; i++) worker.run(100);
    assert.deepEqual(worker.given, [1, 3, 4, 5, 6, 7]);
  });

  test('what was taken back is not given', () => {
    const { post, owner, tell, worker } = begin();
    post();
    const [told, untold] = [post(), post()];
    post();
    tell([TO_COORDINATOR.forget, [owner.withdraw(told.task)!]]);
    owner.withdraw(untold.task);
    worker.run(100);
    assert.deepEqual(worker.given, [1, 4]);
  });
});

describe('coordinator: who does not get on', () => {
  test('loses what it has not begun to who is free, and gets nothing more until it says something', () => {
    const { post, crew, look } = begin({ workers: 2 });
    const [slow, quick] = crew;
    post();
    post();
    quick!.run(100);
    look();
    look();
    assert.deepEqual(quick!.given, [2, 1]);
    quick!.run(100);
    post();
    post();
    assert.deepEqual(slow!.given, [1]);
    assert.equal(slow!.begin(), undefined, 'it passes over what another one has run');
    assert.deepEqual(slow!.given, [1, 4]);
  });

  test('may begin it all the same, as long as nobody else has', () => {
    const { post, owner, crew, look } = begin({ workers: 2 });
    const [slow, quick] = crew;
    const { task } = post();
    look();
    look();
    assert.deepEqual(quick!.given, [1]);
    assert.ok(slow!.begin() !== undefined);
    assert.equal(quick!.begin(), undefined);
    assert.equal(owner.holder(task), slow!.seat);
  });

  test('keeps what was moved to it', () => {
    const { post, crew, look } = begin({ workers: 2 });
    post({ moved: true });
    look();
    look();
    assert.deepEqual(
      crew.map(({ given }) => given),
      [[1], []],
    );
  });

  test('nobody is watched while nothing lies unbegun', () => {
    const { post, worker, look, timers } = begin();
    post();
    worker.run();
    look();
    assert.equal(timers.length, 0);
  });
});

describe('coordinator: who leaves', () => {
  test('a retiring worker hears of it behind its last task, and others get what it has not begun', () => {
    const { post, tell, crew } = begin({ workers: 2 });
    const [leaving, other] = crew;
    post();
    tell([TO_COORDINATOR.retire, leaving!.seat]);
    assert.deepEqual(leaving!.words.at(-1), [TO_SEAT.retire]);
    assert.deepEqual(other!.given, [1]);
    post();
    other!.run(100);
    assert.deepEqual(leaving!.given, [1]);
    assert.deepEqual(other!.given, [1, 2]);
  });

  test('one that has run enough gets nothing more', () => {
    const { post, crew } = begin({ workers: 2 });
    crew[0]!.say([FROM_SEAT.enough]);
    post();
    assert.deepEqual(
      crew.map(({ given }) => given),
      [[], [1]],
    );
  });

  test('of a dead one’s, what had begun is main’s to tell of, the rest runs elsewhere, in its order', () => {
    const { post, tell, main, crew } = begin({ workers: 2, tasksPerWorker: 2 });
    const [dead, other] = crew;
    for (let i = 0; i < 5; i++) post();
    dead!.begin(); // 1; it also has 3, the other one 2 and 4; 5 waits
    tell([TO_COORDINATOR.gone, dead!.seat]);
    assert.ok(dead!.line.isClosed);
    other!.run(100);
    other!.run(100);
    assert.deepEqual(other!.given, [2, 4, 3, 5]);
    assert.deepEqual(main.posted, []);
  });

  test('what had been moved to a dead one and not begun is told of as lost', () => {
    const { post, tell, main, worker } = begin({ tasksPerWorker: 2 });
    post({ moved: true });
    const { ticket } = post({ moved: true });
    worker.begin();
    tell([TO_COORDINATOR.gone, worker.seat]);
    assert.deepEqual(main.posted, [[FROM_COORDINATOR.lost, [ticket]]]);
  });

  test('words about who is gone already are passed over', () => {
    const { tell, worker } = begin();
    tell([TO_COORDINATOR.gone, worker.seat]);
    tell([TO_COORDINATOR.gone, worker.seat]);
    tell([TO_COORDINATOR.retire, worker.seat]);
  });
});
