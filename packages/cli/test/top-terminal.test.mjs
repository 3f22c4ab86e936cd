/**
 * `threadwise top` on a real terminal: what is on the screen, what keys do, and that the terminal is given
 * back.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { main } from './command.mjs';
import { startServer, TOKEN } from './fixtures/control/server.mjs';
import { pool, worker } from './fixtures/control/stats.mjs';
import { Screen, whyNoTmux } from './fixtures/control/tmux.mjs';

/**
 * Everything in here waits for something to be seen; what never comes is told of after this time.
 * Milliseconds.
 */
const options = { skip: whyNoTmux() ?? false, timeout: 60_000 };

const mail = pool('mail', { state: 'paused', threads: { min: 1, max: 4, current: 1, starting: 0, idle: 0 } });
const pools = () => structuredClone([pool('images'), mail]);

/** A server, and `top` on a terminal that shows its first frame. The shell says the exit code behind it. */
async function watch(
  t,
  { columns = 80, rows = 24, env = {}, served = pools(), serverOptions, args = '' } = {},
) {
  const server = await startServer(served, serverOptions);
  const screen = new Screen({ THREADWISE_CONTROL_TOKEN: TOKEN, NO_COLOR: '', ...env }, columns, rows);
  t.after(async () => {
    screen.close();
    await server.close();
  });
  const command = `'${process.execPath}' '${main}' top ${server.url} ${args}`;
  screen.type(`modes=$(stty -g); echo before; ${command}; echo "exit code $?"`);
  await screen.until(/> \S+.*\n[\s\S]*\? help/);
  return { server, screen, command };
}

/** The terminal is as it was: the screen, the cursor, long lines, and the modes of its line. */
async function assertGivenBack(screen, exitCode) {
  const text = await screen.until(new RegExp(`exit code ${exitCode}\\n`));
  assert.match(text, /before\n/, 'the screen from before');
  assert.deepEqual(
    ['alternate_on', 'cursor_flag', 'wrap_flag'].map((name) => screen.get(name)),
    ['0', '1', '1'],
  );
  // Quoted in two parts: what is typed must not be taken for what it says.
  screen.type('test "$modes" = "$(stty -g)" && echo "the same" modes || echo "other" modes');
  assert.match(await screen.until(/\n(the same|other) modes\n/), /\nthe same modes\n/);
}

test('shows the pools, the workers, the functions and the decisions', options, async (t) => {
  const { screen } = await watch(t);
  const { lines } = screen;
  assert.equal(screen.get('alternate_on'), '1');
  assert.equal(screen.get('cursor_flag'), '0');
  assert.match(lines[0], /^http:\/\/127\.0\.0\.1:\d+ {2}pid 4242 {2}up 1h02m {2}image-server/);
  // 80 columns, the last of them used.
  assert.equal(lines[1], '  POOL       STATE    THREADS  QUEUE  OLDEST DONE/S CRASH   RUN99  WAIT99');
  assert.equal(lines[2], '> images     open         2/2     37   1.53s   81.4     0   240ms    33ms');
  assert.equal(lines[4], 'images  39 open  1204 done  3 failed');
  assert.match(lines[8], /^2 +ready +3 +580 +93%/);
  assert.match(lines[10], /^resize +threads +1204 +0 +3 +12\.3ms takes 12 ms$/);
  assert.match(lines[13], /^1\ds ago +1 to 2 +3 +0 pool +3 tasks wait for a worker$/);
  assert.match(lines[23], /^\? help {2}q quit/);
});

test('the last column of the terminal is used, too', options, async (t) => {
  const name = 'images-and-their-thumbnails';
  const { screen } = await watch(t, { served: [pool(name)], columns: 100 });
  // 2, 10 for the name, and 9, 8, 7, 8, 7, 6, 8, 8, 8, 8 and 5 for the others with their gaps: 94.
  // The name gets the other 6.
  assert.match(screen.lines[2], /^> images-and-thei… open .* 7%$/);
  assert.equal(screen.lines[2].length, 100);
});

test('q gives the terminal back, with exit code 0', options, async (t) => {
  const { screen } = await watch(t);
  screen.press('q');
  await assertGivenBack(screen, 0);
});

test('Ctrl-C gives the terminal back, with exit code 130', options, async (t) => {
  const { screen } = await watch(t);
  screen.press('C-c');
  await assertGivenBack(screen, 130);
});

for (const [signal, exitCode] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
]) {
  test(`${signal} gives the terminal back, with exit code ${exitCode}`, options, async (t) => {
    const { screen } = await watch(t);
    process.kill(await foreground(screen), signal);
    await assertGivenBack(screen, exitCode);
  });
}

/** The process that has the terminal: the child of the shell. */
async function foreground(screen) {
  const shell = screen.get('pane_pid');
  return Number((await readFile(`/proc/${shell}/task/${shell}/children`, 'utf8')).trim());
}

test('an error of its own gives the terminal back and is told behind it', options, async (t) => {
  const served = pools();
  const { screen } = await watch(t, {
    served,
    env: { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(BREAKS)}"` },
  });
  served[0].name = 'break';
  const text = await screen.until(/exit code 1\n/);
  assert.match(text, /broken on purpose/);
  await assertGivenBack(screen, 1);
});

/** Once a pool is called so, reading fails in a way that nobody foresees. */
const BREAKS = `const { parse } = JSON;
JSON.parse = (text) => {
  if (text.includes('"break"')) setImmediate(() => { throw new Error('broken on purpose'); });
  return parse(text);
};`;

test('Ctrl-Z gives the terminal to the shell; fg brings the screen back', options, async (t) => {
  const { screen } = await watch(t);
  screen.press('C-z');
  await screen.until(/Stopped/);
  assert.deepEqual([screen.get('alternate_on'), screen.get('cursor_flag')], ['0', '1']);
  screen.type('fg');
  await screen.until(/> images[\s\S]*\? help/);
  assert.deepEqual([screen.get('alternate_on'), screen.get('cursor_flag')], ['1', '0']);
  // Keys come one by one again.
  screen.press('Down');
  await screen.until(/> mail/);
  screen.press('q');
  await screen.until((text) => screen.get('alternate_on') === '0' && !text.includes('? help'));
});

test('stopped by a signal, it sets the modes of the terminal again when it goes on', options, async (t) => {
  const { screen } = await watch(t);
  process.kill(await foreground(screen), 'SIGSTOP');
  await screen.until(/Stopped/);
  // The keyboard still gives what raw mode makes of it: C-j is Enter.
  screen.press('stty sane; fg', 'C-j');
  // What it drew before it was stopped is there all the time: only what it draws now has nothing of the shell's.
  await screen.until((text) => /> images[\s\S]*\? help/.test(text) && !text.includes('Stopped'));
  screen.press('Down');
  await screen.until(/> mail/);
  screen.press('q');
  await screen.until(() => screen.get('alternate_on') === '0');
});

test('figures are read again each second', options, async (t) => {
  const served = pools();
  const { screen } = await watch(t, { served });
  served[0].queue.size = 4711;
  await screen.until(/> images .* 4711 /);
});

test('arrows select a pool, s and S sort its workers', options, async (t) => {
  const { screen } = await watch(t);
  screen.press('Down');
  await screen.until(/\n {2}images [\s\S]*\n> mail [\s\S]*\nmail {2}39 open/);
  screen.press('Up');
  await screen.until(/\n> images /);
  screen.press('s', 's');
  await screen.until(/LOADv[\s\S]*\n2 +ready +3 [\s\S]*\n1 +ready +1 /);
  screen.press('S');
  await screen.until(/LOAD\^[\s\S]*\n1 +ready +1 [\s\S]*\n2 +ready +3 /);
});

test('+ asks, y does it and the screen shows what came of it', options, async (t) => {
  const { server, screen } = await watch(t);
  const changed = server.next(({ method }) => method === 'PATCH');
  screen.press('+');
  await screen.until(/\[y\/n\] Resize images from 2 to 3 threads\?/);
  screen.press('y');
  const { path, body, headers } = await changed;
  assert.deepEqual(
    [path, body, headers.authorization],
    ['/api/pools/images', { threads: 3 }, `Bearer ${TOKEN}`],
  );
  await screen.until(/> images .* 2\/3 [\s\S]*images is to have 3 threads\./);
});

test('n sends nothing', options, async (t) => {
  const { server, screen } = await watch(t);
  screen.press('r');
  await screen.until(/\[y\/n\] Replace every worker of images/);
  screen.press('n');
  await screen.until(/Nothing was changed\./);
  screen.press('q');
  await screen.until(/exit code 0\n/);
  assert.ok(server.requests.every(({ method }) => method === 'GET'));
});

test('p pauses and resumes', options, async (t) => {
  const { screen } = await watch(t);
  screen.press('p');
  await screen.until(/\[y\/n\] Pause images\?/);
  screen.press('y');
  await screen.until(/> images +paused/);
  screen.press('p');
  await screen.until(/\[y\/n\] Resume images\? It is paused\./);
  screen.press('y');
  await screen.until(/> images +open/);
});

test('without a token it says what is needed, and watches on', options, async (t) => {
  const { screen } = await watch(t, { env: { THREADWISE_CONTROL_TOKEN: '' } });
  screen.press('r');
  await screen.until(/\[y\/n\]/);
  screen.press('y');
  await screen.until(/Not done: a token is needed, or another one: set THREADWISE_CONTROL_TOKEN/);
});

test('what the program refuses is told in its words', options, async (t) => {
  const refusal = { status: 400, body: { error: { code: 'ERR_OPTION', message: 'No \x1b[31mmore\x1b[0m' } } };
  const serverOptions = { answer: ({ method }) => (method === 'PATCH' ? refusal : undefined) };
  const { screen } = await watch(t, { serverOptions });
  screen.press('+', 'y');
  await screen.until(/Not done: No �\[31mmore�\[0m \(400 ERR_OPTION\)/);
});

test('a lost connection is told, the figures stay, and a new one is found', options, async (t) => {
  const { server, screen } = await watch(t);
  await server.close();
  await screen.until(/^CONNECTION LOST \d+s ago, [\s\S]*\n> images +open/);
  screen.press('+');
  await screen.until(/There is no connection: nothing can be changed\./);
  const again = await startServer([pool('images', { queue: { size: 4711, limit: null, oldestMs: 0 } })], {
    port: server.port,
  });
  t.after(() => again.close());
  await screen.until(/^http[\s\S]*\n> images .* 4711 /);
});

test(
  'a program that does not answer any more is told of before the connection is given up',
  options,
  async (t) => {
    let hangs = false;
    const serverOptions = { answer: () => (hangs ? 'never' : undefined) };
    const { screen } = await watch(t, { serverOptions });
    hangs = true;
    await screen.until(/^NO ANSWER for \ds: is the program's main thread blocked\?/);
  },
);

/** From the second on, a request is given up after half a second. */
const IMPATIENT = `const { setTimeout } = globalThis;
let requests = 0;
globalThis.setTimeout = (run, ms, ...more) => setTimeout(run, ms === 10_000 && ++requests > 1 ? 500 : ms, ...more);`;

test(
  'a program that hangs is not taken for one that is gone, and may still do what it was asked',
  options,
  async (t) => {
    let hangs = false;
    const serverOptions = { answer: () => (hangs ? 'never' : undefined) };
    const env = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(IMPATIENT)}"` };
    const { server, screen } = await watch(t, { serverOptions, env });
    hangs = true;
    await server.next(() => true);
    // The request before was given up.
    await server.next(() => true);
    await screen.until(/^NO ANSWER for \d+s/);
    screen.press('p');
    await screen.until(/\[y\/n\] Pause images\?/);
    screen.press('y');
    await screen.until(/^NO ANSWER[\s\S]*\nNot known whether it was done: No answer from/);
  },
);

test('help, and back', options, async (t) => {
  const { screen } = await watch(t);
  screen.press('?');
  await screen.until(/one thread more, or less/);
  screen.press('Space');
  await screen.until(/> images/);
});

/** Nothing happens by itself: what is drawn, is drawn because of what the test does. */
const NO_TICKS = {
  NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent('globalThis.setInterval = () => 0')}"`,
};

for (const [columns, rows] of [
  [40, 15],
  [200, 50],
  [20, 5],
]) {
  test(`${columns} columns and ${rows} rows, from the beginning and after a resize`, options, async (t) => {
    const many = Array.from({ length: 12 }, (_, i) => worker(i + 1));
    const served = [pool('images', { workers: many }), structuredClone(mail)];
    const { screen } = await watch(t, { columns, rows, served, env: NO_TICKS });
    const fits = (text) => {
      const lines = text.split('\n');
      return lines[2]?.startsWith('> images') && lines[rows - 1]?.startsWith('? help') && lines[rows] === '';
    };
    await screen.until(fits);
    screen.resize(100, 30);
    await screen.until((text) => text.split('\n')[29]?.startsWith('? help'));
    screen.resize(columns, rows);
    await screen.until(fits);
    screen.press('q');
    await screen.until(() => screen.get('alternate_on') === '0');
  });
}

test('names with wide and with control characters keep the columns where they are', options, async (t) => {
  const served = [pool('画像処理の待ち行列'), pool('a\x1b[2J\x1b[31m\nb\u202ec'), pool('plain')];
  const { screen } = await watch(t, { served, columns: 60 });
  // Three lines for three pools, and OPEN in the same column of the terminal: a wide character takes two.
  const columnOfState = (line) =>
    [...line.slice(0, line.indexOf(' open'))].reduce(
      (sum, c) => sum + (c.codePointAt(0) > 0x3000 && c !== '�' ? 2 : 1),
      0,
    );
  const rows = screen.lines.slice(2, 5);
  assert.equal(rows[1].startsWith('  a�[2J�[31m'), true, rows[1]);
  assert.deepEqual(new Set(rows.map(columnOfState)).size, 1, rows.join('\n'));
});

test('NO_COLOR: emphasis without colours; otherwise with them', options, async (t) => {
  const served = [pool('images', { state: 'broken', crashes: 3 })];
  const { screen: coloured } = await watch(t, { served });
  const { screen: plain } = await watch(t, { served, env: { NO_COLOR: '1' } });
  const codes = (screen) =>
    [...screen.styledText.matchAll(/\[([\d;]+)m/g)].flatMap(([, code]) => code.split(';').map(Number));
  assert.ok(codes(coloured).some((code) => code >= 30 && code < 38));
  assert.deepEqual(
    codes(plain).filter((code) => code >= 30 && code < 50 && code !== 39 && code !== 49),
    [],
  );
  assert.match(plain.text, /> images +broken /);
});

test('--once, and a terminal that can do nothing, get text', options, async (t) => {
  const { server, screen, command } = await watch(t);
  screen.press('q');
  await screen.until(/exit code 0/);
  screen.resize(120, 50);
  for (const line of [`${command} --once`, `TERM=dumb ${command}`]) {
    screen.type(`clear; ${line}; echo "all $((1 + 1))"`);
    const text = await screen.until(/all 2\n/);
    assert.match(text, new RegExp(`${server.url} +pid 4242`));
    assert.equal(screen.get('alternate_on'), '0');
  }
});
