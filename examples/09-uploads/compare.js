// Sends the same uploads to three servers, which compress on the main thread, on node:zlib's own threads, and on a pool.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { createPool } from 'threadwise';
import { randomFrom } from '../random.js';
import { timed } from '../timing.js';
import { compressFile, OPTIONS } from './compress.js';
import { buildServer } from './server.js';

/** How many milliseconds pass between two readings of the event loop's delay. */
const LOOK_MS = 1;
const WORDS = [
  'main',
  'worker',
  'thread',
  'queue',
  'event',
  'loop',
  'waits',
  'runs',
  'the',
  'a',
  'of',
  'and',
];

const brotli = promisify(brotliCompress);
async function byZlib(from, to) {
  await writeFile(to, await brotli(await readFile(from), OPTIONS), { flush: true });
}

/** @returns for each way `milliseconds` until all is compressed, and `heldUpMs`, the longest delay of the event loop */
export async function compare({ uploads, kib, threads, seed }) {
  const random = randomFrom(seed);
  const bodies = Array.from({ length: uploads }, () => textOf(kib * 1024, random));
  const pool = createPool(new URL('./tasks.js', import.meta.url), { threads });
  try {
    await pool.ready;
    const byPool = (from, to) => pool.run('compressFile', [from, to]);
    return {
      main: await upload(bodies, compressFile),
      zlib: await upload(bodies, byZlib),
      pool: await upload(bodies, byPool),
    };
  } finally {
    await pool.close();
  }
}

/** Sends all bodies at the same time, then fetches the compressed uploads and compares them. */
async function upload(bodies, compress) {
  const folder = mkdtempSync(join(tmpdir(), 'uploads-'));
  const server = buildServer({ folder, compress });
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${server.address().port}/uploads`;
    await ask(`${url}/none`).catch(() => {}); // loads what `fetch` needs
    const delay = monitorEventLoopDelay({ resolution: LOOK_MS });
    delay.enable();
    const [answers, milliseconds] = await timed(async () => {
      const ids = await Promise.all(bodies.map((body) => ask(url, { method: 'POST', body })));
      return Promise.all(ids.map((id) => ask(`${url}/${JSON.parse(id).id}`)));
    });
    delay.disable();
    // `fetch` has decompressed the answers.
    if (!answers.every((bytes, i) => bytes.equals(bodies[i])))
      throw new Error('What came back is not what was sent');
    return { milliseconds, heldUpMs: delay.max / 1e6 };
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  }
}

async function ask(url, options) {
  const response = await fetch(url, options);
  const body = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${url}: ${response.status} ${body}`);
  return body;
}

function textOf(bytes, random) {
  let text = '';
  while (text.length < bytes) text += `${WORDS[random() % WORDS.length]} ${random() % 1000} `;
  return Buffer.from(text.slice(0, bytes));
}
