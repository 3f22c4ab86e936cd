/** Sequences of steps on the shared transport that are easy to get wrong: each a few words long, then the usual way. */
import { describe, test } from 'node:test';
import { exploreAll, play } from './stage/exploring.case.js';

/** A plan that is carried out without anybody doing anything else meanwhile. */
function atOnce(plan: readonly string[]): string[] {
  return ['quiet', ...plan.map((what) => `main ${what}`)];
}

describe('shared: cells and mailed tasks', () => {
  test('the mailed task of a withdrawn task is not mistaken for one of the task that has its cell now', () => {
    const plan = ['mail a 0', 'abort a', 'offer b'];
    play({ workers: 1, tasksPerWorker: 2, plan }, atOnce(plan));
  });

  for (const kind of ['port', 'large', 'number']) {
    test(`what a worker had not begun when it died is sent to another: arguments of the kind '${kind}'`, () => {
      play({ plan: ['mail a 0 long', `mail b 0 ${kind}`, 'crash 0'] });
    });

    test(`the same where the task had no cell of its own: arguments of the kind '${kind}'`, () => {
      const mails = [`mail c 0 ${kind}`, `mail d 1 ${kind}`];
      play({ cells: 2, plan: ['offer a long', 'offer b long', ...mails, 'crash 0', 'crash 0'] });
    });
  }

  test('a call is accepted while old hints of all cells lie in the ring', () => {
    const plan = ['offer a', 'offer b', 'abort a', 'abort b', 'offer c'];
    play({ cells: 2, workers: 1, plan }, atOnce(plan));
  });

  test('a mailed task is sent while old hints of all cells lie in the ring', () => {
    const plan = ['offer a', 'offer b', 'mail c 0', 'abort a', 'abort b'];
    play({ cells: 2, workers: 1, plan }, atOnce(plan));
  });

  test('old claims of a dead worker do not make a mailed task to another one a task for all', () => {
    const plan = ['offer t', 'offer x; offer y; offer z', 'drain', 'hire', 'mail m 1', 'crash 0', 'reorder'];
    const first = [
      'quiet',
      'main offer t',
      'quiet',
      'main offer x; offer y; offer z',
      'w0 wakes up',
      'w0 ends 2',
    ];
    const then = [
      'main drain',
      'main hire',
      'main mail m 1',
      'main crash 0',
      'main buries w0',
      'main reorder',
    ];
    play({ workers: 1, cells: 4, replaces: false, plan }, [...first, ...then]);
  });
});

describe('shared: tasks that are mailed when results have made room for them', () => {
  // There is room for three: the worker has run these, and sleeps, when main hears of it.
  const many = 'mail a 0; mail b 0; mail c 0; mail d 0; mail e 0';
  const runs = [1, 2, 3].flatMap((id) => [`w0 ends ${id}`, 'w0 looks']);
  const script = ['quiet', `main ${many}`, 'w0 wakes up', ...runs, 'w0 rests'];
  for (const deaths of [0, 1])
    test(`do not lie there unseen${deaths > 0 ? ', whoever dies' : ''}`, () => {
      const options = { workers: 2, cells: 8, deaths, plan: [many, 'mail f 1'] };
      exploreAll(options, { script, most: 2, within: 30 });
    });
});

describe('shared: who takes no more by itself', () => {
  const retiring = { workers: 2, replaces: false, plan: ['retire 0', 'offer a'] };

  test('is not called for a task while it sleeps', () => {
    play(retiring, ['quiet', 'main retire 0', 'w0 hears', 'w0 looks', 'w0 rests', 'main offer a']);
  });

  test('and was called for one before it heard so, passes the call on', () => {
    const plan = ['offer a', 'retire 0'];
    play({ ...retiring, plan }, [...atOnce(plan), 'w0 hears']);
  });

  test('but looks for mailed tasks, is not relied on', () => {
    const plan = ['retire 0', 'offer a'];
    const script = ['quiet', 'main retire 0', 'w0 hears', 'w0 looks', 'w0 rests while main offer a'];
    play({ ...retiring, spinners: 1, plan }, script);
  });

  test('because it has had enough tasks, did have them: withdrawn ones do not count', () => {
    const plan = ['offer a long', 'offer b; offer c', 'abort b', 'abort c', 'offer d'];
    play({ workers: 1, maxTasks: 2, plan });
  });

  test('because it has had enough tasks, did have them: those that others took from its claims do not count', () => {
    const five = 'offer a long; offer b; offer c; offer d; offer e';
    const plan = ['offer t', five, 'offer f; offer g'];
    const script = ['quiet', 'main offer t', 'quiet', `main ${five}`, 'w0 wakes up'];
    play({ workers: 2, cells: 8, maxTasks: 4, replaces: false, plan }, script);
  });
});

describe('shared: nobody sleeps while a task lies there', () => {
  test('that somebody has claimed and not begun, because a mailed task was older', () => {
    const script = ['quiet', 'main mail a 0 long'];
    exploreAll({ workers: 2, plan: ['mail a 0 long', 'offer b'] }, { script, most: 2, within: 30 });
  });

  test('that a busy one has claimed and not begun, because a mailed task was older', () => {
    const plan = ['mail a 0', 'mail b 0 long', 'offer c'];
    const script = ['quiet', 'main mail a 0', 'w0 wakes up', 'main mail b 0 long', 'w0 ends 1'];
    exploreAll({ workers: 2, plan }, { script, most: 2, within: 30 });
  });

  for (const workers of [2, 3, 4]) {
    const calls = Array.from({ length: workers }, (_, i) => `offer long${i} long`);
    const first = ['offer t', 'offer u'];

    test(`among ${workers}, when the tasks so far were tiny and ${workers} long ones come at once`, () => {
      play({ workers, cells: 8, plan: [...first, calls.join('; ')] });
    });

    test(`among ${workers}, when the tasks so far were tiny and ${workers} long ones come soon`, () => {
      const script = first.flatMap((what) => ['quiet', `main ${what}`]);
      exploreAll({ workers, cells: 8, plan: [...first, ...calls] }, { script, most: 1 });
    });
  }

  // After 20 tasks they count as short. They do not count as tiny: each runs for a tick of the clock, 0.03 ms.
  const warm = Array.from({ length: 20 }, (_, i) => `offer t${i}`);
  const warmScript = warm.flatMap((what) => ['quiet', `main ${what}`]);

  for (const [cores, workers] of [
    [1, 2],
    [1, 3],
    [2, 3],
  ] as const) {
    const who = `among ${workers} with ${cores} ${cores === 1 ? 'core' : 'cores'}, because all were in use`;
    const options = { workers, cells: 8, spinners: cores - 1 };

    test(`${who}, and the awake ones are stuck by now`, () => {
      const long = Array.from({ length: workers }, (_, i) => `offer long${i} long`);
      exploreAll({ ...options, plan: [...warm, ...long] }, { script: warmScript, most: 1, within: 40 });
      exploreAll(
        { ...options, plan: [...warm, long.join('; ')] },
        { script: warmScript, most: 1, within: 40 },
      );
    });

    test(`${who}, and an awake one is dead`, () => {
      const plan = [...warm, 'offer a long; offer b', 'offer c', 'crash 0', 'offer d'];
      exploreAll({ ...options, plan }, { script: warmScript, most: 1, within: 40 });
    });
  }

  test('because all cores were in use, with nobody who would look by himself, and main does not sleep', () => {
    const script = [
      ...warmScript,
      ...['quiet', 'main offer a long', 'w0 wakes up', 'main offer b', 'w1 wakes up'],
    ];
    play({ workers: 2, cells: 8, plan: [...warm, 'offer a long', 'offer b'] }, script);
  });

  test('because all cores were in use, and who was to look by himself is stuck', () => {
    const script = [
      ...warmScript,
      ...['quiet', 'main offer a long', 'w0 wakes up', 'main offer b', 'w1 wakes up'],
      ...['w1 ends 22', 'w1 looks', 'w1 rests', 'main turn', 'main offer c'],
      ...Array.from({ length: 12 }, () => 'main turn'),
      'w1 wakes up',
    ];
    play({ workers: 2, cells: 8, plan: [...warm, 'offer a long', 'offer b', 'offer c'] }, script);
  });

  test('because one was called a moment ago, and has got another task', () => {
    const warm = [0, 1, 2, 3].map((worker) => `mail t${worker} ${worker}`).join('; ');
    const long = [0, 1, 2, 3].map((i) => `offer long${i} long`).join('; ');
    const script = [
      ...['quiet', `main ${warm}`, 'quiet', 'main offer a; offer b'],
      ...['w0 wakes up', 'w1 wakes up', 'main mail c 2', 'w2 wakes up'],
      ...['w0 ends 5', 'w0 looks', 'w0 rests', `main ${long}`],
      ...['w1 ends 6', 'w1 looks', 'w2 ends 7', 'w2 looks'],
      ...['main turn', 'main turn', 'main turn', 'w0 timer'],
    ];
    const plan = [warm, 'offer a; offer b', 'mail c 2', long];
    play({ workers: 4, cells: 8, tick: 0.003, plan }, script);
  });

  test('because the one that was called for it is dead', () => {
    const plan = ['offer a', 'crash 0'];
    play({ workers: 2, replaces: false, plan }, atOnce(plan));
  });

  test('because the one that was looking for it is dead', () => {
    const script = ['w1 looks', 'w1 rests', 'w0 looks', 'w0 rests while main offer a'];
    const options = { workers: 2, spinners: 1, deaths: 1, replaces: false, plan: ['offer a'] };
    exploreAll(options, { script, most: 1 });
  });

  test('because the one that was waking it is dead', () => {
    const script = ['w1 looks', 'w1 rests', 'w0 looks', 'w0 rests while main offer a long'];
    const options = {
      workers: 2,
      spinners: 1,
      deaths: 1,
      replaces: false,
      plan: ['offer a long', 'offer b'],
    };
    exploreAll(options, { script, most: 2, within: 30 });
  });

  test('but main does, when nobody is left who could begin it', () => {
    const plan = ['offer t', 'offer a', 'kill 0'];
    play({ workers: 1, tick: 0.0001, replaces: false, plan }, [
      'quiet',
      'main offer t',
      ...atOnce(plan.slice(1)),
    ]);
  });

  for (const replaces of [true, false]) {
    const who = replaces ? 'replaced' : 'dead';
    test(`nor main while a result does, because the one that was waking main is ${who}`, () => {
      exploreAll({ workers: 2, deaths: 1, replaces, plan: ['offer a long; offer b long'] }, { most: 1 });
    });
  }
});
