/** Each structure in every order of the steps of two or three threads, with deaths at every step. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CAPACITY, close, HEAD, ITEMS, pass, ROOM, TAIL, WORDS as CHANNEL_WORDS } from './channel.js';
import { type Actor, everyOrder, type Play, type Run } from './every-order.case.js';
import { ABORTED, arrive, breakUp, lower, untilOpen } from './gates.js';
import { acquire, release } from './mutex.js';
import type { Steps } from './waiting.js';

/** The numbers of the main thread and of the first workers. */
const NUMBERS = [1, 2, 3];

function sharedWords(values: readonly number[]): Int32Array {
  const words = new Int32Array(new SharedArrayBuffer(values.length * 4), 0, values.length);
  words.set(values);
  return words;
}

/** Explores a play, and returns its endings, sorted. */
function endingsOf(t: { diagnostic(text: string): void }, play: Play): readonly string[] {
  const { states, endings } = everyOrder(play);
  t.diagnostic(`${states} states`);
  return [...endings].sort();
}

/** The turns of a thread that has only one. */
const once =
  (run: (run: Run) => string): Actor['turn'] =>
  (driver, turns) =>
    turns === 0 ? run(driver) : undefined;

/** What became of a wait: `passed`, or the code of the error. */
function outcome(run: () => unknown, passed: string): string {
  try {
    run();
    return passed;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return code ?? message;
  }
}

describe('the explorer itself', () => {
  test('finds the mistake of a lock that looks first and takes then', (t) => {
    const words = sharedWords([0]);
    const turn = once(() => {
      if (Atomics.load(words, 0) !== 0) return 'late';
      Atomics.store(words, 0, 1);
      return 'has it';
    });
    const actors = [1, 2].map((number) => ({ number, turn }));
    assert.deepEqual(endingsOf(t, { words, actors }), ['has it has it', 'has it late', 'late has it']);
  });

  test('finds the wake-up that is lost where somebody sleeps on a word that does not change', () => {
    const words = sharedWords([0, 0]);
    const [DONE, BELL] = [0, 1];
    function* waits(): Steps<string> {
      if (Atomics.load(words, DONE) === 0) yield { at: BELL, value: 0 };
      return 'heard';
    }
    const tells = once(() => {
      Atomics.store(words, DONE, 1);
      return `told ${Atomics.notify(words, BELL)}`;
    });
    const actors = [
      { number: 1, turn: once((run) => run(waits())) },
      { number: 2, turn: tells },
    ];
    assert.throws(() => everyOrder({ words, actors }), /nobody wakes them/);
  });
});

describe('mutex: in every order one holder at a time, and all get it', () => {
  const [STATE, INSIDE] = [1, 2];
  function play(times: readonly number[], more: Partial<Play> = {}): Play {
    const words = sharedWords([0, 0, 0]);
    const actors = times.map((most, i): Actor => {
      const number = NUMBERS[i]!;
      const locks = (run: Run, before: string): string => {
        const isAbandoned = run(acquire(words, STATE, number));
        const inside = Atomics.exchange(words, INSIDE, number);
        assert.ok(inside === 0 || isAbandoned, `${number} is inside with ${inside}`);
        assert.equal(Atomics.exchange(words, INSIDE, 0), number, 'somebody came while it was inside');
        release(words, STATE);
        return isAbandoned ? 'told' : before;
      };
      const turn: Actor['turn'] = (run, turns, result) => {
        if (turns === most || result === 'late') return undefined;
        try {
          return locks(run, result || 'ok');
        } catch (error) {
          if ((error as Error).message === 'late') return 'late';
          throw error;
        }
      };
      return { number, turn };
    });
    return { words, actors, ...more };
  }

  test('two threads, three times each', (t) => {
    assert.deepEqual(endingsOf(t, play([3, 3])), ['ok ok']);
  });
  test('three threads', (t) => {
    assert.deepEqual(endingsOf(t, play([1, 1, 1])), ['ok ok ok']);
  });
  test('two threads, one of them dies at any step', (t) => {
    const expected = ['dead ok', 'dead told', 'ok dead', 'ok ok', 'told dead'];
    assert.deepEqual(endingsOf(t, play([2, 2], { deaths: 1 })), expected);
  });
  test('three threads, one of them dies at any step', (t) => {
    const endings = endingsOf(t, play([1, 1, 1], { deaths: 1 }));
    for (const ending of ['dead ok told', 'told ok dead', 'ok dead ok', 'ok ok ok'])
      assert.ok(endings.includes(ending), ending);
    for (const ending of endings) assert.match(ending, /^(ok|told|dead)( (ok|told|dead)){2}$/);
  });
  test('three threads that give up at any moment', (t) => {
    const endings = endingsOf(t, play([1, 1, 1], { timesOut: true }));
    assert.ok(endings.includes('late late ok') && endings.includes('ok ok ok'));
    assert.ok(!endings.includes('late late late'), 'somebody gets it');
  });
});

describe('barrier: in every order all pass a round, or none does', () => {
  function play(rounds: number, members: readonly number[], more: Partial<Play> = {}): Play {
    const words = sharedWords([0, 0, members.length, ...members]);
    const actors = members.map((_, i): Actor => {
      const number = NUMBERS[i]!;
      const turn: Actor['turn'] = (run, turns, result) =>
        turns === rounds || result.includes('_') || result.includes('late')
          ? undefined
          : outcome(() => run(arrive(words, number)), `${turns + 1}`).replace(/^\D/, `${result || '0'}:$&`);
      return { number, turn };
    });
    return { words, actors, ...more };
  }
  /** Asserts that both have passed the same rounds. */
  function areEqual(endings: readonly string[]): void {
    for (const ending of endings) {
      const [one, other] = ending.split(' ').map((result) => result[0]);
      assert.equal(one, other, ending);
    }
  }

  test('two threads, three rounds', (t) => {
    assert.deepEqual(endingsOf(t, play(3, [0, 0])), ['3 3']);
  });
  test('three threads', (t) => {
    // The threads are members already, and no word of a member changes any more.
    assert.deepEqual(endingsOf(t, play(1, [1, 2, 3], { guarded: [3, 4, 5] })), ['1 1 1']);
  });
  test('two threads that have come before, one of them dies at any step', (t) => {
    const endings = endingsOf(t, play(2, [1, 2], { deaths: 1 }));
    const crashed = [0, 1].map((rounds) => `${rounds}:ERR_WORKER_CRASHED`);
    const expected = [...crashed, '2'].flatMap((result) => [`${result} dead`, `dead ${result}`]);
    assert.deepEqual(endings, [...expected, '2 2'].sort());
  });
  test('two threads whose time is over at any moment', (t) => {
    const endings = endingsOf(t, play(2, [0, 0], { timesOut: true }));
    assert.ok(endings.includes('1:ERR_TASK_TIMEOUT 1:late') && endings.includes('2 2'));
    areEqual(endings);
  });
  test('two threads, and a third that aborts', (t) => {
    const { words, actors } = play(2, [0, 0]);
    const aborts = { number: 3, turn: once(() => String(breakUp(words, ABORTED))) };
    const endings = endingsOf(t, { words, actors: [...actors, aborts] });
    const each = [0, 1].map((rounds) => `${rounds}:ERR_TASK_ABORTED`);
    assert.deepEqual(endings, [...each.map((result) => `${result} ${result} true`), '2 2 true']);
  });
});

describe('latch: in every order who waits hears of it', () => {
  const MEMBER = 2;
  const waits = (words: Int32Array) => once((run) => outcome(() => run(untilOpen(words)), 'open'));
  /** Does what the function does that `join` returns. */
  const ends = (words: Int32Array, i: number) =>
    once(() => {
      lower(words, 1);
      Atomics.store(words, MEMBER + i, 0);
      return 'counted';
    });
  const lowers = (words: Int32Array, by: number) =>
    once(() => {
      lower(words, by);
      return 'did';
    });

  test('one waits for two', (t) => {
    const words = sharedWords([0, 2, 2, 3]);
    const turns = [waits(words), ends(words, 0), ends(words, 1)];
    const actors = turns.map((turn, i) => ({ number: NUMBERS[i]!, turn }));
    assert.deepEqual(endingsOf(t, { words, actors }), ['open counted counted']);
  });
  test('one waits for two that have joined, and one of them dies at any step', (t) => {
    const words = sharedWords([0, 2, 2, 3]);
    const turns = [waits(words), ends(words, 0), ends(words, 1)];
    const actors = turns.map((turn, i) => ({ number: NUMBERS[i]!, turn }));
    const endings = endingsOf(t, { words, actors, deaths: 1 });
    assert.ok(endings.includes('ERR_WORKER_CRASHED dead counted'));
    assert.ok(endings.includes('ERR_WORKER_CRASHED counted dead'));
    for (const ending of endings) assert.match(ending, /^(open|ERR_WORKER_CRASHED|dead) /);
    assert.ok(!endings.includes('ERR_WORKER_CRASHED counted counted'), 'nobody is missed who is there');
  });
  test('two wait, one opens and one aborts', (t) => {
    const words = sharedWords([0, 2]);
    const turns = [waits(words), waits(words), lowers(words, 2), lowers(words, -1)];
    const actors = turns.map((turn, i) => ({ number: i + 1, turn }));
    const endings = endingsOf(t, { words, actors });
    assert.deepEqual(endings, ['ERR_TASK_ABORTED ERR_TASK_ABORTED did did', 'open open did did']);
  });
});

describe('channel: in every order each value goes to one, and nobody sleeps for nothing', () => {
  function channel(capacity: number) {
    const words = sharedWords(new Array<number>(CHANNEL_WORDS + capacity).fill(0));
    words[CAPACITY] = capacity;
    /** Sends one value in each turn; may close in a last turn. */
    const sends = (number: number, values: readonly number[], closes = false): Actor => ({
      number,
      turn: (run, turns, result) => {
        const value = values[turns];
        if (value !== undefined) {
          const write = (place: number) => Atomics.store(words, CHANNEL_WORDS + place, value);
          return run(pass(words, number, TAIL, write)) ? `${result}${value}` : `${result}x`;
        }
        if (!closes || turns > values.length) return undefined;
        close(words);
        return `${result}.`;
      },
    });
    /** Receives one value in each turn, to the end. */
    const receives = (number: number, most = Number.POSITIVE_INFINITY): Actor => ({
      number,
      turn: (run, turns, result) => {
        if (turns === most || result.endsWith('.')) return undefined;
        const value = run(pass(words, number, HEAD, (place) => Atomics.load(words, CHANNEL_WORDS + place)));
        return `${result}${value ?? '.'}`;
      },
    });
    const guarded = [CAPACITY, HEAD, TAIL, ...Array.from({ length: capacity }, (_, i) => CHANNEL_WORDS + i)];
    return { given: { words, guarded, restarts: [ITEMS, ROOM] }, sends, receives };
  }

  test('one sends two through one place and closes, one receives', (t) => {
    const { given, sends, receives } = channel(1);
    assert.deepEqual(endingsOf(t, { ...given, actors: [sends(1, [7, 8], true), receives(2)] }), ['78. 78.']);
  });
  test('one sends three through two places, one receives', (t) => {
    const { given, sends, receives } = channel(2);
    const actors = [sends(1, [1, 2, 3]), receives(2, 3)];
    assert.deepEqual(endingsOf(t, { ...given, actors }), ['123 123']);
  });
  test('two send through one place, one receives', (t) => {
    const { given, sends, receives } = channel(1);
    const actors = [sends(1, [7]), sends(2, [8]), receives(3, 2)];
    assert.deepEqual(endingsOf(t, { ...given, actors, walks: 2000 }), ['7 8 78', '7 8 87']);
  });
  test('one sends and closes, two receive', (t) => {
    const { given, sends, receives } = channel(1);
    const actors = [sends(1, [7], true), receives(2, 1), receives(3, 1)];
    assert.deepEqual(endingsOf(t, { ...given, actors, walks: 2000 }), ['7. . 7', '7. 7 .']);
  });
  test('one closes while one sends and one receives: what was sent arrives', (t) => {
    const { given, sends, receives } = channel(1);
    const actors = [sends(1, [7]), receives(2), sends(3, [], true)];
    assert.deepEqual(endingsOf(t, { ...given, actors }), ['7 7. .', 'x . .']);
  });
  test('one sends, one receives, and one of them dies at any step', (t) => {
    const { given, sends, receives } = channel(1);
    // A receiver waits for ever if the sender has died; a sender never does, as there is room for its one value.
    const actors = [sends(1, [7]), receives(2, 1)];
    const endings = endingsOf(t, { ...given, guarded: [], actors, deaths: 1, isDesertedAt: [ITEMS] });
    assert.deepEqual(endings, ['7 7', '7 dead', 'dead ', 'dead 7']);
  });
  test('two send, and one of them dies at any step: what the other sends arrives', (t) => {
    const { given, sends, receives } = channel(2);
    const actors = [sends(1, [7]), sends(2, [8]), receives(3, 1)];
    const endings = endingsOf(t, { ...given, actors, deaths: 1, walks: 2000 });
    for (const ending of endings) assert.match(ending, /^(7 8|dead 8|7 dead) [78]$|^7 8 dead$/);
    assert.ok(endings.includes('dead 8 7') && endings.includes('7 dead 7'), 'a value may outlive its sender');
  });
});
