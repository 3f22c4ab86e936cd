/** Each function where its calls cost less: simulated, with run times and crossing costs that are given. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { autoPlacement } from './auto.js';

interface Times {
  readonly hereMs: number;
  readonly acrossMs?: number;
  readonly crossingMs: number;
}

/** A function whose calls come one after the other, and how many of the last ones ran inline. */
class Simulated {
  readonly #learner = autoPlacement().learner!;
  readonly #learnt = this.#learner.of('f');
  now = 0;

  constructor() {
    this.#learnt.allow();
  }

  /** Makes `count` calls, one every `everyMs` milliseconds. Returns the share that ran inline. */
  call(count: number, { hereMs, acrossMs = hereMs, crossingMs }: Times, everyMs = 0.01): number {
    let inline = 0;
    for (let i = 0; i < count; i++) {
      this.now += everyMs;
      if (this.#learnt.takesInline(this.now)) {
        inline++;
        this.#learnt.ranInline(hereMs, this.now);
      } else {
        if (i % 16 === 0) this.#learnt.crossed(crossingMs);
        this.#learnt.ranAcross(acrossMs, this.now);
      }
    }
    return inline / count;
  }

  forbid(why: string): void {
    this.#learnt.forbid(why);
  }

  get stats() {
    return this.#learnt.view();
  }
}

const TINY: Times = { hereMs: 0.001, crossingMs: 0.002 };
const LONG: Times = { hereMs: 10, crossingMs: 0.002 };

describe('auto: a function', () => {
  test('that runs for less than a crossing costs comes to the calling thread, soon', () => {
    const simulated = new Simulated();
    simulated.call(100, TINY);
    assert.ok(simulated.call(1000, TINY) > 0.9);
    const { place, why, runMs, crossingMs } = simulated.stats;
    assert.equal(place, 'inline');
    assert.equal(why, 'a call takes 1 us on the calling thread, a crossing costs 2 us');
    assert.ok(Math.abs(runMs! - 0.001) < 1e-9);
    assert.ok(Math.abs(crossingMs! - 0.002) < 1e-9);
  });

  test('that runs for longer never does', () => {
    const simulated = new Simulated();
    assert.equal(simulated.call(10_000, LONG, 10), 0);
    assert.equal(simulated.stats.why, 'a call runs for 10 ms, a crossing costs 2 us');
  });

  test('that runs for too long never does, though a crossing seems to cost more while other programs take the cores', () => {
    const simulated = new Simulated();
    assert.equal(simulated.call(1000, { ...LONG, crossingMs: 40 }, 10), 0);
  });

  test('is explored at low cost while nothing changes', () => {
    const simulated = new Simulated();
    simulated.call(1000, TINY);
    assert.ok(simulated.call(1_000_000, TINY) > 0.99); // ten seconds
  });

  test('is explored: when a crossing has become cheaper than running here, it goes to threads', () => {
    const simulated = new Simulated();
    simulated.call(1000, { hereMs: 0.008, crossingMs: 0.01 });
    assert.ok(simulated.call(1000, { hereMs: 0.008, crossingMs: 0.002 }) > 0.9);
    simulated.call(1_000_000, { hereMs: 0.008, crossingMs: 0.002 });
    assert.equal(simulated.call(1000, { hereMs: 0.008, crossingMs: 0.002 }), 0);
  });

  test('whose inputs grow leaves within a few calls, and comes back when they are small again', () => {
    const simulated = new Simulated();
    simulated.call(1000, TINY);
    const shareInline = simulated.call(1000, { ...TINY, hereMs: 1 }, 1);
    assert.ok(shareInline * 1000 <= 8, 'what is left of one window of 4 ms, and another one');
    simulated.call(4000, TINY, 1); // while it rests
    assert.ok(simulated.call(1000, TINY) > 0.9);
  });

  test('two calls that are far too long are enough; one may have met another program', () => {
    const simulated = new Simulated();
    simulated.call(1000, TINY);
    assert.equal(simulated.call(1, LONG), 1);
    assert.ok(simulated.call(500, TINY) > 0.8);
    assert.equal(simulated.call(1, LONG), 1);
    assert.equal(simulated.call(500, TINY), 0);
    assert.equal(simulated.stats.why, 'calls took 10 ms on the calling thread');
  });

  test('that now and then takes far too long blocks the calling thread ever more seldom', () => {
    const simulated = new Simulated();
    const long: number[] = [];
    for (let i = 0; i < 10_000; i++) {
      simulated.call(100, TINY, 1);
      if (simulated.call(1, LONG) > 0) long.push(simulated.now);
    }
    // Two long calls, then a rest.
    const pauses = long.flatMap((at, i) => (i % 2 === 0 && i > 0 ? [at - long[i - 1]!] : []));
    assert.ok(pauses.length >= 3, `${long}`);
    for (const [i, pause] of pauses.entries()) assert.ok(pause >= 10_000 * 2 ** i, `${pauses}`);
  });

  test('whose code is slow here until it is compiled gets its chance', () => {
    const simulated = new Simulated();
    simulated.call(32, TINY); // from here on it runs inline
    simulated.call(100, { ...TINY, hereMs: 0.05, acrossMs: 0.001 }); // the first window
    assert.ok(simulated.call(1000, TINY) > 0.9);
  });

  test('that is slower here than there stays there, and is tried again ever more seldom', () => {
    const simulated = new Simulated();
    const slowHere: Times = { hereMs: 0.08, acrossMs: 0.001, crossingMs: 0.002 };
    simulated.call(1000, slowHere, 1);
    const share = simulated.call(100_000, slowHere, 1);
    assert.ok(share < 0.02, `${share}`);
    assert.match(simulated.stats.why, /^a call takes 80 us on the calling thread/);
  });

  test('that was forbidden stays on threads, and says why', () => {
    const simulated = new Simulated();
    simulated.call(1000, TINY);
    simulated.forbid('it returns a promise');
    assert.equal(simulated.call(1000, TINY), 0);
    assert.deepEqual([simulated.stats.place, simulated.stats.why], ['threads', 'it returns a promise']);
  });
});
