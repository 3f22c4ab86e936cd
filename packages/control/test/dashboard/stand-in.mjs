/** A small server with the interface that the dashboard talks to, and with switches for what can go wrong. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { COLUMNS } from '../../dashboard/sample.js';

const dashboard = new URL('../../dashboard/', import.meta.url);
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };
const POLICY =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src data:";

class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** `fleets`: what is answered of them; `token`: asked for; `readsNeedToken`: for reading, too. `tickMs`: time passes by itself. */
export async function startStandIn({ pools, fleets = [], token, readsNeedToken = false, tickMs }) {
  const server = new StandIn(pools, { fleets, token, readsNeedToken });
  await server.up();
  if (tickMs !== undefined) server.tick(tickMs);
  return server;
}

class StandIn {
  #pools;
  #options;
  #server;
  #port = 0;
  #streams = new Set();
  #timer;
  /** Every request for data, as `METHOD path`. */
  requests = [];
  /** The bodies of the changes. */
  changes = [];
  /** Answers nothing, and sends nothing, as a process whose event loop is blocked. */
  isHung = false;

  constructor(pools, options) {
    this.#pools = pools;
    this.#options = options;
  }

  get url() {
    return `http://127.0.0.1:${this.#port}/`;
  }

  get streams() {
    return this.#streams.size;
  }

  /** At the same address as before. */
  async up() {
    this.#server = createServer((request, response) => this.#handle(request, response));
    await new Promise((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = this.#server.address().port;
  }

  /** As when the process has ended. */
  async down() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    this.#streams.clear();
    await closed;
  }

  /** Ends every stream, and nothing else. */
  dropStreams() {
    for (const { response } of this.#streams) response.end();
  }

  async close() {
    clearInterval(this.#timer);
    await this.down();
  }

  tick(ms) {
    this.#timer = setInterval(() => {
      for (const pool of this.#pools) pool.advance(ms / 1000);
      this.push();
    }, ms);
  }

  /** Sends statistics on every open stream. */
  push() {
    if (this.isHung) return;
    for (const { pool, response } of this.#streams) send(response, 'stats', pool.stats());
  }

  emit(event, data) {
    for (const { response } of this.#streams) send(response, event, data);
  }

  async #handle(request, response) {
    const { pathname } = new URL(request.url, this.url);
    if (this.isHung) return;
    try {
      if (!pathname.startsWith('/api/')) return await sendFile(response, pathname);
      this.requests.push(`${request.method} ${pathname}`);
      this.#authorize(request);
      await this.#api(request, response, pathname.split('/').slice(2).map(decodeURIComponent));
    } catch (error) {
      const { status = 500, code = 'ERR_INTERNAL', message } = error;
      const isOption = code === 'ERR_OPTION';
      sendJson(response, { error: { code, message } }, isOption ? 400 : status);
    }
  }

  #authorize({ method, headers }) {
    const { token, readsNeedToken } = this.#options;
    if (token === undefined || (method === 'GET' && !readsNeedToken)) return;
    if (headers.authorization === `Bearer ${token}`) return;
    const what =
      headers.authorization === undefined ? 'A token is needed' : 'That token is not the right one';
    throw new Refusal(401, 'ERR_TOKEN', what);
  }

  async #api(request, response, [kind, name, what]) {
    if (kind === 'fleets') return sendJson(response, { fleets: this.#options.fleets });
    if (name === undefined) return sendJson(response, this.#all());
    const pool = this.#pools.find((each) => each.name === name);
    if (pool === undefined) throw new Refusal(404, 'ERR_NOT_FOUND', `There is no pool '${name}'`);
    if (what === 'history') return sendJson(response, { nowMs: 0, columns: COLUMNS, rows: pool.past });
    if (what === 'events') return this.#stream(pool, response);
    if (request.method === 'PATCH') {
      this.changes.push(await bodyOf(request));
      pool.configure(this.changes.at(-1));
    } else this.#post(pool, what);
    sendJson(response, pool.stats());
    this.push();
  }

  #post(pool, what) {
    const states = { pause: 'paused', resume: 'open', drain: 'draining' };
    if (what === 'recycle') pool.recycle();
    else pool.state = states[what];
  }

  #all() {
    const process = { pid: 4711, node: '20.20.2', title: 'image-service', uptimeMs: 5_400_000 };
    const fleets = this.#options.fleets.map(({ name }) => name);
    return { process, pools: this.#pools.map((pool) => pool.stats()), fleets };
  }

  #stream(pool, response) {
    const stream = { pool, response };
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.#streams.add(stream);
    response.on('close', () => this.#streams.delete(stream));
    send(response, 'stats', pool.stats());
  }
}

function send(response, event, data) {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

function sendJson(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

async function bodyOf(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return JSON.parse(text);
}

async function sendFile(response, pathname) {
  const name = pathname === '/' ? 'index.html' : pathname.replace('/assets/', '');
  try {
    const content = await readFile(new URL(name, dashboard));
    const headers = { 'content-type': TYPES[extname(name)], 'content-security-policy': POLICY };
    response.writeHead(200, headers).end(content);
  } catch {
    response.writeHead(404).end();
  }
}
