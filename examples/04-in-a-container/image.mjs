// Runs the service as its image would, for the tests: with the files, the variables and the command of the Dockerfile.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const here = fileURLToPath(new URL('.', import.meta.url));
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
export const TOKEN = 'a-token-for-the-test';
/** How many milliseconds a suite may take, so that one that hangs is reported. */
export const DEADLINE_MS = 120_000;

export const read = (name) => readFileSync(join(here, name), 'utf8');

/** The contents of the Dockerfile. */
export const image = (() => {
  const text = read('Dockerfile').replaceAll('\\\n', ' ');
  const lines = (name) =>
    [...text.matchAll(new RegExp(`^${name} +(.*)$`, 'gm'))].map(([, line]) => line.trim());
  const words = (name) => lines(name).flatMap((line) => line.split(/\s+/));
  return {
    env: Object.fromEntries(words('ENV').map((pair) => pair.split('='))),
    files: lines('COPY').flatMap((line) => (line.endsWith(' ./') ? line.split(' ').slice(0, -1) : [])),
    ports: words('EXPOSE'),
    user: words('USER').at(-1),
    command: JSON.parse(lines('CMD').at(-1)),
  };
})();
export const controlPort = image.env.THREADWISE_CONTROL.split(':').at(-1);

/** Resolves to what a pattern finds in a line of a program's output; rejects if the output ends before. */
export function said(stream, pattern) {
  const lines = [];
  const found = new Promise((resolve, reject) => {
    createInterface({ input: stream })
      .on('line', (line) => {
        lines.push(line);
        const match = pattern.exec(line);
        if (match !== null) resolve(match[1].replace('0.0.0.0', '127.0.0.1'));
      })
      .on('close', () => reject(new Error(`It ended, and did not say ${pattern}, but: ${lines.join('\n')}`)));
  });
  found.catch(() => undefined); // not every test waits for it
  return found;
}

/**
 * Starts the service on free ports; `service` and `control` resolve to their addresses.
 * @param tasks replaces the task module, which it finds as `./real-tasks.js`
 */
export function start(t, { env = {}, tasks } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'threadwise-container-'));
  for (const name of image.files) copyFileSync(join(here, name), join(dir, name));
  symlinkSync(modules, join(dir, 'node_modules'));
  if (tasks !== undefined) {
    renameSync(join(dir, 'tasks.js'), join(dir, 'real-tasks.js'));
    writeFileSync(join(dir, 'tasks.js'), tasks);
  }
  const [program, ...args] = image.command;
  assert.equal(program, 'node');
  const child = spawn(process.execPath, args, {
    cwd: dir,
    env: {
      ...process.env,
      ...image.env,
      HOST: '127.0.0.1',
      PORT: '0',
      THREADWISE_CONTROL: image.env.THREADWISE_CONTROL.replace(controlPort, '0'),
      THREADWISE_CONTROL_TOKEN: TOKEN,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(dir, { recursive: true });
  });
  return {
    child,
    exited,
    service: said(child.stdout, /^primes: (http:\/\/[^/]+)\//),
    control: said(child.stderr, /^threadwise control: (http:\S+)$/),
  };
}

export async function get(url, { token, ...options } = {}) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, ...options });
  const text = await response.text();
  const isJson = response.headers.get('content-type').startsWith('application/json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** Polls the statistics of the pool until `isSo` accepts them. */
export async function until(control, isSo) {
  for (;;) {
    const { body } = await get(`${await control}/api/pools/primes`, { token: TOKEN });
    if (isSo(body)) return;
  }
}
