/** Starts the built command as a user would, and waits for what it says rather than for a time. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

export const main = fileURLToPath(new URL('../bin/threadwise.js', import.meta.url));
const tasks = fileURLToPath(new URL('fixtures/tasks.mjs', import.meta.url));

export const task = (name) => `${tasks}#${name}`;

const inTurnFile = fileURLToPath(new URL('fixtures/in-turn.mjs', import.meta.url));
const END = /\0(\d+)\0$/;

/**
 * @param {string[]} args
 * @param {{ cwd?: string, env?: object, input?: string, stdio?: import('node:child_process').StdioOptions, node?: string[] }} options
 * `input`: all of standard input; without it standard input stays open.
 */
export function start(args, { cwd, env, input, stdio = 'pipe', node = [] } = {}) {
  const child = spawn(process.execPath, [...node, main, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio,
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name]?.setEncoding('utf8').on('data', (text) => {
      said[name] += text;
    });
  }
  if (input !== undefined) child.stdin.end(input);
  const ended = new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...said }));
  });
  return { child, ended, until: (name, pattern) => until(child, said, name, pattern) };
}

/** Resolves when the stream has said it; rejects if it ends before. */
function until(child, said, name, pattern) {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (pattern.test(said[name])) resolve();
    };
    child[name].on('data', look);
    child.on('close', () => reject(new Error(`ended before it said ${pattern}: ${said[name]}`)));
    look();
  });
}

/** The process that `run` uses, and the end of its last command. */
let inTurn;
let last = Promise.resolve();
after(() => inTurn?.disconnect());

/**
 * Runs to the end, with an empty standard input. Where no more than the folder and the environment are given, one process does one command
 * after another: to start Node.js and to load the command would be most of a short run. A command that ends that process ends as one in
 * its own would.
 */
export function run(args, { cwd = process.cwd(), env = {}, ...options } = {}) {
  if (Object.keys(options).length > 0) return start(args, { input: '', cwd, env, ...options }).ended;
  last = last.then(() => runInTurn(args, cwd, env));
  return last;
}

function runInTurn(words, cwd, env) {
  const child = (inTurn ??= startInTurn());
  const said = { stdout: '', stderr: '' };
  return new Promise((resolve) => {
    child.heard = (name, text) => {
      said[name] += text;
      const ends = Object.values(said).map((all) => END.exec(all));
      if (ends.includes(null)) return;
      const [stdout, stderr] = ends.map(({ input, index }) => input.slice(0, index));
      resolve({ code: Number(ends[0][1]), signal: null, stdout, stderr });
    };
    child.ended = (code, signal) => resolve({ code, signal, ...said });
    child.send({ words, cwd, env: { ...process.env, ...env } });
  });
}

/** What it says goes to `heard` of the command that runs. */
function startInTurn() {
  const child = spawn(process.execPath, [inTurnFile], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => child.heard(name, text));
  child.on('close', (...how) => {
    inTurn = undefined;
    child.ended(...how);
  });
  return child;
}

/** `threadwise run` with the summary off. */
export function runTask(name, args, options) {
  return run(['run', task(name), '--quiet', ...args], options);
}

export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-cli-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
export const lines = (values) => values.map((value) => `${value}\n`).join('');
