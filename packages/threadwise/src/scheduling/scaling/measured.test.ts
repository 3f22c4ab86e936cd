/** Sizing by measurement, on simulated machines: what it comes to, how soon, and what it says of itself. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LoadView, Scaling, WorkerSample } from '../../core/contracts.js';
import { measured } from './measured.js';
import { load, scalingConformance } from './scaling.case.js';
import { type SimulatedLoad, type SimulatedMachine, Simulation } from './simulation.case.js';

const policy = measured as Scaling;

scalingConformance('measured', policy);

const LOADS: Readonly<Record<string, SimulatedLoad>> = {
  compute: { cpuMs: 5, waitMs: 0, jitter: 0.5, outstanding: 0 },
  wait: { cpuMs: 0.05, waitMs: 10, jitter: 0.5, outstanding: 0 },
  'compute and wait': { cpuMs: 5, waitMs: 5, jitter: 0.5, outstanding: 0 },
  'wait long': { cpuMs: 1, waitMs: 1000, jitter: 0.5, outstanding: 0 },
};
/** How soon the size has to follow a new load. Milliseconds. */
const FOLLOWS_MS = 5000;
const GOOD = 0.95;

function loadFor(name: string, cores: number): SimulatedLoad {
  return { ...LOADS[name]!, outstanding: 32 * cores };
}

/** How long to measure, so that enough tasks end to say something. Milliseconds. */
function windowMs({ cpuMs, waitMs }: SimulatedLoad): number {
  return Math.max(1000, 10 * (cpuMs + waitMs));
}

/** What the best of many fixed sizes gets done in a second. */
function best(machine: SimulatedMachine, tasks: SimulatedLoad): number {
  const sizes = [1, 2, 3, 6, 16].map((each) => each * machine.cores);
  const taskMs = tasks.cpuMs + tasks.waitMs;
  const rates = sizes.map((size) => {
    const simulation = new Simulation(machine, tasks, size);
    simulation.run(2 * taskMs);
    return simulation.run(windowMs(tasks));
  });
  return Math.max(...rates);
}

describe('sizing by measurement, simulated', () => {
  for (const cores of [2, 4, 16, 64]) {
    for (const name of Object.keys(LOADS)) {
      // With many threads a simulation takes long, and noise makes it no slower: so the large ones run with noise only.
      for (const noise of cores > 4 ? [0.2] : [0, 0.2]) {
        test(`${cores} cores, noise ${noise}, tasks that ${name}: as good as the best fixed size, soon`, () => {
          const machine = { cores, max: 16 * cores, noise };
          const tasks = loadFor(name, cores);
          const simulation = new Simulation(machine, tasks, policy);
          simulation.run(FOLLOWS_MS);
          const share = simulation.run(windowMs(tasks)) / best(machine, tasks);
          assert.ok(share >= GOOD, `${share.toFixed(3)} with ${simulation.size} threads`);
        });
      }
    }
  }

  test('follows when tasks that waited compute, and back', () => {
    const machine = { cores: 4, max: 64, noise: 0.1 };
    const simulation = new Simulation(machine, loadFor('wait', 4), policy);
    for (const name of ['wait', 'compute', 'wait', 'compute and wait', 'compute']) {
      simulation.load = loadFor(name, 4);
      simulation.run(FOLLOWS_MS);
      const share = simulation.run(1000) / best(machine, simulation.load);
      // Less than with a steady load: so soon after the change some sizes have been tried for a second only.
      assert.ok(share >= 0.9, `${name}: ${share.toFixed(3)} with ${simulation.size} threads`);
      if (name === 'compute') assert.ok(simulation.size <= 4, `${simulation.size} threads for 4 cores`);
    }
  });

  test('without CPU times it climbs by throughput alone', () => {
    const machine = { cores: 4, max: 64, tellsCpu: false };
    const tasks = loadFor('wait', 4);
    const simulation = new Simulation(machine, tasks, policy);
    simulation.run(FOLLOWS_MS);
    assert.ok(simulation.run(1000) >= GOOD * best(machine, tasks));
  });

  test('stays within its bounds, whatever the load', () => {
    for (const name of Object.keys(LOADS)) {
      const simulation = new Simulation({ cores: 4, min: 2, max: 7 }, loadFor(name, 4), policy);
      for (let i = 0; i < 100; i++) {
        simulation.run(50);
        assert.ok(simulation.size >= 2 && simulation.size <= 7);
      }
    }
  });

  test('each step says why, and follows from the one before', () => {
    const simulation = new Simulation({ cores: 2, max: 32 }, loadFor('compute and wait', 2), policy);
    simulation.run(3000);
    const { decisions } = simulation;
    assert.ok(decisions.length > 3);
    assert.match(decisions[0]!.why, /tasks wait for a worker, and there are 2 cores/);
    for (const [i, { from, why }] of decisions.entries()) {
      if (i > 0) assert.equal(from, decisions[i - 1]!.to);
      assert.match(why, /cores|tries|throughput|wait/);
    }
  });

  test('what is tried costs less and less: a steady load is left alone for longer each time', () => {
    const simulation = new Simulation({ cores: 4, max: 64 }, loadFor('compute and wait', 4), policy);
    const counts = [10_000, 20_000].map((ms) => {
      const before = simulation.decisions.length;
      simulation.run(ms);
      return simulation.decisions.length - before;
    });
    assert.ok(counts[1]! < counts[0]!, `${counts[1]} decisions in 20 s after ${counts[0]} in 10 s`);
  });

  test('long tasks that compute are left alone, too: few end in one measurement, and some in the next', () => {
    const tasks = { cpuMs: 300, waitMs: 0, jitter: 0.5, outstanding: 128 };
    const simulation = new Simulation({ cores: 4, max: 64 }, tasks, policy);
    simulation.run(FOLLOWS_MS);
    const before = simulation.decisions.length;
    simulation.run(20_000);
    assert.deepEqual(simulation.decisions.slice(before), []);
    assert.equal(simulation.size, 4);
  });

  test('long tasks that compute at first and then wait are not taken for tasks that only compute', () => {
    const tasks = { cpuMs: 200, waitMs: 600, jitter: 0.5, outstanding: 128 };
    const simulation = new Simulation({ cores: 4, max: 64, noise: 0.1 }, tasks, policy);
    simulation.run(20_000);
    for (const { why } of simulation.decisions) assert.doesNotMatch(why, /no more workers than cores/);
    assert.ok(simulation.size >= 12, `${simulation.size}`);
  });

  test('never grows into the limit of memory, and goes back when that is near', () => {
    const MiB = 2 ** 20;
    const memory = { usedBytes: 700 * MiB, limitBytes: 1000 * MiB };
    const machine = { cores: 2, max: 32, memory: () => memory };
    const simulation = new Simulation(machine, loadFor('wait', 2), policy);
    const most = () => Math.floor((0.85 * memory.limitBytes - memory.usedBytes) / (16 * MiB));
    simulation.run(1000);
    assert.ok(simulation.size > 2 && simulation.size <= 2 * most(), `${simulation.size}`);
    memory.usedBytes = 850 * MiB;
    const before = simulation.size;
    simulation.run(3000);
    assert.ok(simulation.size <= before, 'none is added');
    memory.usedBytes = 960 * MiB;
    simulation.run(4000);
    assert.equal(simulation.size, 1);
    assert.match(simulation.decisions.at(-1)!.why, /96 % of the memory is used/);
  });
});

describe('sizing by measurement, decision by decision', () => {
  const start = measured.initial;
  const worker = (id: number, usedMs: number): WorkerSample => {
    return { id, isBusy: true, completed: 0, runMs: 0, cpu: { usedMs, waitedMs: 0 } };
  };
  const full = (now: number, cpu: readonly number[], given: Partial<LoadView> = {}): LoadView => {
    const workers = cpu.map((usedMs, i) => worker(i + 1, usedMs));
    const measurement = { completed: 0, workers, memory: undefined };
    return load({ now, current: cpu.length, queued: 50, max: 32, cores: 2, measured: measurement, ...given });
  };

  test('a worker for each task that waits, at once, up to the cores', () => {
    const two = measured.decide(load({ queued: 1, cores: 4, max: 32 }), start);
    assert.equal(two.target, 2);
    const four = measured.decide(load({ queued: 9, cores: 4, max: 32 }), start);
    assert.deepEqual([four.target, four.isSated], [4, true]);
  });

  test('no more than cores without a measurement, whatever waits', () => {
    assert.equal(measured.decide(load({ current: 4, queued: 999, cores: 4, max: 32 }), start).target, 4);
  });

  describe('with memory for two more', () => {
    const MiB = 2 ** 20;
    const memory = { usedBytes: (850 - 40) * MiB, limitBytes: 1000 * MiB };
    const seen = load({ now: 100, current: 2, measured: { completed: 0, workers: [], memory } });
    const { state } = measured.decide(seen, start);
    const next = (given: Partial<LoadView>) => measured.decide(load({ now: 101, ...given }), state).target;

    test('two are added, however often tasks come before the next measurement', () => {
      assert.equal(next({ current: 2, queued: 9 }), 4);
      assert.equal(next({ current: 4, starting: 2, queued: 9 }), 4);
    });

    test('those that start have not taken theirs yet', () => {
      const early = { ...seen, current: 4, starting: 2 };
      const { state: later } = measured.decide(early, start);
      assert.equal(measured.decide(load({ now: 101, current: 4, queued: 9 }), later).target, 4);
    });

    test('what those have had that are gone is free', () => {
      assert.equal(next({ current: 1, queued: 9 }), 4);
    });
  });

  test('where memory is short and there is no worker, one is started, and no more', () => {
    const memory = { usedBytes: 90, limitBytes: 100 };
    const seen = load({ min: 0, current: 1, measured: { completed: 0, workers: [], memory } });
    const { state } = measured.decide(seen, start);
    assert.equal(measured.decide(load({ min: 0, current: 0, queued: 9 }), state).target, 1);
  });

  test('a smaller size that did as well is not kept for ever', () => {
    const held = { size: 3, rate: 1, error: 0 };
    const state = { ...start, climb: { ...start.climb, held, holdUntil: 1000 } };
    const few = (now: number) =>
      measured.decide(load({ now, current: 3, queued: 1, cores: 4 }), state).target;
    assert.equal(few(999), 3);
    assert.equal(few(1000), 4);
  });

  test('tasks that hold their workers and use no CPU get more workers soon, though none ends', () => {
    const first = measured.decide(full(0, [0, 0]), start);
    const second = measured.decide(full(100, [1, 1]), first.state);
    assert.equal(second.target, 4);
    assert.match(second.why, /those that run wait, too: they compute for 1 % of their time/);
  });

  test('tasks that compute get none, for however long none ends', () => {
    let { state } = measured.decide(full(0, [0, 0]), start);
    for (let now = 100; now <= 5000; now += 100) {
      const decision = measured.decide(full(now, [now, now]), state);
      assert.equal(decision.target, 2);
      state = decision.state;
    }
  });

  test('tasks of which nothing is known get one more for each half second in which none ends', () => {
    const unknown = (now: number, current: number) => {
      const workers = Array.from({ length: current }, (_, i) => ({ ...worker(i, 0), cpu: undefined }));
      const measurement = { completed: 0, workers, memory: undefined };
      return load({ now, current, queued: 50, max: 32, cores: 2, measured: measurement });
    };
    let { state, target } = measured.decide(unknown(0, 2), start);
    for (let now = 100; now < 500; now += 100) ({ state, target } = measured.decide(unknown(now, 2), state));
    assert.equal(target, 2);
    const decision = measured.decide(unknown(500, 2), state);
    assert.equal(decision.target, 3);
    assert.match(decision.why, /no task has ended for 500 ms/);
  });

  test('is not asked again while nothing runs and none can be released', () => {
    assert.equal(measured.decide(load({ current: 1, idle: 1 }), start).againMs, undefined);
    const first = measured.decide(load({ now: 1000, current: 1, queued: 1 }), start);
    assert.equal(first.againMs, 10, 'for something to compare with');
    const second = measured.decide(full(1010, [0], { max: 1 }), first.state);
    assert.equal(second.againMs, 100);
    const later = measured.decide(load({ now: 1050, current: 1, queued: 1 }), second.state);
    assert.equal(later.againMs, 100);
    const afterPause = measured.decide(load({ now: 9000, current: 1, queued: 1 }), second.state);
    assert.equal(afterPause.againMs, 10);
    const idle = load({ current: 2, idle: 2, longestIdleMs: 300 });
    assert.equal(measured.decide(idle, start).againMs, 700);
  });
});

const target = (view: LoadView) => measured.decide(view, measured.initial).target;

describe('sizing without a measurement', () => {
  test('wants one more worker for each task that waits and has none', () => {
    assert.equal(target(load({ current: 2, queued: 3 })), 5);
  });

  test('counts the workers that start already, and those that are idle', () => {
    assert.equal(target(load({ current: 3, starting: 2, queued: 3 })), 4);
    assert.equal(target(load({ current: 3, idle: 1, queued: 3 })), 5);
    assert.equal(target(load({ current: 6, starting: 2, idle: 2, queued: 3 })), 6);
  });

  test('counts on the places of a worker, not on workers', () => {
    assert.equal(target(load({ current: 1, queued: 9, tasksPerWorker: 4 })), 4);
  });

  test('starts from none when a task comes', () => {
    assert.equal(target(load({ min: 0, current: 0, queued: 1 })), 1);
  });

  test('wants as many as there are while none has been idle for long', () => {
    assert.equal(target(load({ current: 4, idle: 2, longestIdleMs: 999 })), 4);
  });

  test('releases one at a time once one has been idle for the timeout', () => {
    assert.equal(target(load({ current: 4, idle: 3, longestIdleMs: 1000 })), 3);
  });

  test('releases none at the minimum, none with an infinite timeout, none while tasks wait', () => {
    const idle = { idle: 2, longestIdleMs: 1e9 };
    assert.equal(target(load({ ...idle, min: 2, current: 2 })), 2);
    assert.equal(target(load({ ...idle, current: 4, idleTimeoutMs: Number.POSITIVE_INFINITY })), 4);
    assert.equal(target(load({ ...idle, current: 4, queued: 1 })), 4);
  });

  test('releases no worker that works, even with a timeout of 0', () => {
    assert.equal(target(load({ current: 4, idle: 0, longestIdleMs: 0, idleTimeoutMs: 0 })), 4);
  });

  test('wants to be asked again when the timeout of the one that is idle longest is over', () => {
    const againMs = (given: Partial<LoadView>) => measured.decide(load(given), measured.initial).againMs;
    assert.equal(againMs({ current: 2, idle: 2, longestIdleMs: 400 }), 600);
    assert.equal(againMs({ current: 2, idle: 1, longestIdleMs: 1500, queued: 1 }), 1, 'late');
    assert.equal(againMs({ current: 1, idle: 1 }), undefined, 'none may go');
    assert.equal(againMs({ current: 2, idle: 2, idleTimeoutMs: Number.POSITIVE_INFINITY }), undefined);
  });

  test('says what it saw', () => {
    assert.equal(
      measured.decide(load({ queued: 1 }), measured.initial).why,
      '1 task waits for a worker, and there are 8 cores',
    );
    assert.equal(
      measured.decide(load({ current: 0, queued: 2, cores: 1 }), measured.initial).why,
      '2 tasks wait for a worker, and there is 1 core',
    );
    const idle = load({ current: 2, idle: 1, longestIdleMs: 1200.4 });
    assert.equal(measured.decide(idle, measured.initial).why, 'a worker has been idle for 1200 ms');
  });
});
