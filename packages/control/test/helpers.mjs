/** What the tests of the server share: a pool that can be looked into, and clients that say exactly what they are told. */
import { EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { LIMITS } from '../dist/limits.js';
import { startServer } from '../dist/server.js';

const NONE = { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, max: 0 };

/** A pool that does what it is told, counts how often it is asked, and emits `listening` as listeners come and go. */
export class FakePool {
  /** For tests: 'stats' whenever it is asked, 'listeners' whenever their number changes. */
  watch = new EventEmitter();
  asked = 0;
  /** Everything that was done to it. */
  done = [];
  /** Thrown by the next things that are done to it. */
  refusal = undefined;
  #events = new EventEmitter();
  #overrides;

  constructor(name = 'fake', overrides = {}) {
    this.name = name;
    this.#overrides = overrides;
    this.#events.on('error', () => undefined);
  }

  get listeners() {
    const own = 1;
    const names = this.#events.eventNames();
    return names.reduce((sum, name) => sum + this.#events.listenerCount(name), 0) - own;
  }

  set(overrides) {
    Object.assign(this.#overrides, overrides);
  }

  stats() {
    this.asked++;
    this.watch.emit('stats');
    return {
      name: this.name,
      state: 'open',
      dispatch: 'direct',
      placement: 'threads',
      choose: 'least-busy',
      threads: { min: 1, max: 4, current: 3, starting: 1, idle: 1 },
      queue: { size: 5, limit: 100, oldestMs: 1500 },
      tasks: {
        completed: 10,
        failed: 2,
        aborted: 3,
        timedOut: 4,
        crashed: 1,
        rejected: 6,
        submitted: 34,
        open: 8,
        retried: 7,
      },
      throughput: 2.5,
      runMs: { count: 4, mean: 250, p50: 200, p90: 400, p99: 500, max: 600 },
      waitMs: NONE,
      crashes: 1,
      recycled: 2,
      sizing: { policy: 'fixed', decisions: [] },
      process: { utilization: 0.25, residentBytes: 1000, heapUsedBytes: 500 },
      workers: [],
      ...this.#overrides,
    };
  }

  configure(changes) {
    this.#do('configure', changes);
  }

  pause() {
    this.#do('pause');
  }

  resume() {
    this.#do('resume');
  }

  async drain() {
    this.#do('drain');
  }

  async recycle() {
    this.#do('recycle');
  }

  on(name, listener) {
    this.#events.on(name, listener);
    this.watch.emit('listeners');
    return this;
  }

  off(name, listener) {
    this.#events.off(name, listener);
    this.watch.emit('listeners');
    return this;
  }

  emit(name, event = {}) {
    this.#events.emit(name, { pool: this.name, ...event });
  }

  #do(...what) {
    if (this.refusal !== undefined) throw this.refusal;
    this.done.push(what);
  }
}

/** A fleet that says what it is told, and counts how often it is asked. `answer`: what `stats` resolves to, or a function that does. */
export class FakeFleet {
  asked = 0;

  constructor(name, answer = FLEET) {
    this.queue = { name };
    this.answer = answer;
  }

  async stats() {
    this.asked++;
    return typeof this.answer === 'function' ? this.answer() : this.answer;
  }
}

const machineOf = (id, name, rest) => ({
  id,
  name,
  host: 'box',
  pid: 7,
  state: 'running',
  upMs: 5000,
  ...rest,
});
/** What a fleet of two machines says. */
export const FLEET = {
  queue: 'thumbnails',
  jobs: { waiting: 11, active: 5, delayed: 3, failed: 2, completed: 40 },
  machines: 2,
  threads: 6,
  perMachine: [
    machineOf('id-a', 'same', {
      ...{
        threads: 4,
        concurrency: 8,
        active: 3,
        completed: 30,
        failed: 1,
        returned: 6,
        recovered: 7,
        repeated: 9,
      },
    }),
    machineOf('id-b', 'same', {
      ...{
        threads: 2,
        concurrency: 2,
        active: 2,
        completed: 10,
        failed: 0,
        returned: 0,
        recovered: 0,
        repeated: 0,
      },
    }),
  ],
  open: 12,
};

/** A server that ends with the test. */
export async function serve(t, pools, options = {}, limits = {}) {
  // A pool is asked by what a test does, and by nothing else.
  const server = await startServer(pools, { historyMs: 0, ...options }, { ...LIMITS, ...limits });
  // The server itself would let the process end while a test waits for it. After that time, it should: the test hangs.
  const alive = setTimeout(() => undefined, 60_000);
  t.after(async () => {
    clearTimeout(alive);
    await server.close();
  });
  return server;
}

/** One request, to the letter: also with a Host that fetch would not send. Resolves to status, headers, text and JSON. */
export async function send(server, path, { method = 'GET', headers = {}, body, token } = {}) {
  const { hostname, port } = new URL(server.url);
  const request = httpRequest({
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    path,
    method,
    agent: false,
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
  });
  request.end(body);
  const [response] = await once(request, 'response');
  request.on('error', () => undefined); // it has its answer: what of the body was not sent yet may find nobody
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  const isJson = response.headers['content-type']?.startsWith('application/json');
  const json = isJson && text !== '' ? JSON.parse(text) : undefined;
  return { status: response.statusCode, headers: response.headers, text, json };
}

export const poolPath = (name, rest = '') => `/api/pools/${encodeURIComponent(name)}${rest}`;

/** Changes a pool, as the owner of the token. */
export function patch(server, name, changes) {
  return send(server, poolPath(name), {
    method: 'PATCH',
    token: server.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(changes),
  });
}

export function post(server, name, action) {
  return send(server, poolPath(name, `/${action}`), { method: 'POST', token: server.token });
}

/** Follows a pool. `next(name)` resolves to the data of the next event of that name; `ended` when the server ends it. */
export async function follow(t, server, name, { token } = {}) {
  const request = httpRequest(`${server.url}${poolPath(name, '/events')}`, {
    agent: false,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  t.after(() => request.destroy());
  request.on('error', () => undefined);
  request.end();
  const [response] = await once(request, 'response');
  const events = parseEvents(response);
  return {
    status: response.statusCode,
    headers: response.headers,
    close: () => request.destroy(),
    next: async (wanted) => {
      for (;;) {
        const { value, done } = await events.next();
        if (done) throw new Error(`the stream ended before ${wanted ?? 'an event'}`);
        if (wanted === undefined || value.name === wanted) return wanted === undefined ? value : value.data;
      }
    },
    /** Whatever still comes. */
    rest: async () => {
      const rest = [];
      for await (const event of events) rest.push(event);
      return rest;
    },
  };
}

async function* parseEvents(response) {
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      const parts = (text + chunk).split('\n\n');
      text = parts.pop();
      for (const part of parts) {
        const [first, second] = part.split('\n');
        yield { name: first.slice('event: '.length), data: JSON.parse(second.slice('data: '.length)) };
      }
    }
  } catch (error) {
    if (error.code !== 'ECONNRESET') throw error;
  }
}

/** The beginning of a request, to be written to a connection. */
export function headOf(server, method, path, headers = []) {
  const host = `Host: ${new URL(server.url).host}`;
  return `${[`${method} ${path} HTTP/1.1`, host, ...headers].join('\r\n')}\r\n\r\n`;
}

/** How many event streams the server says it has. */
export async function openStreams(server) {
  const { text } = await send(server, '/metrics', { token: server.token });
  return Number(/^threadwise_control_event_streams (\d+)$/m.exec(text)[1]);
}

/** A connection on which anything can be said. */
export async function rawConnection(t, server) {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port });
  t.after(() => socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Everything that comes until the other end closes. */
export async function readToEnd(socket) {
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await closed(socket);
  return text;
}

/** Resolves when the connection is gone, however. */
export function closed(socket) {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', resolve);
  });
}

/** Resolves when `isSo` is, which is asked again at each event. */
export async function until(emitter, event, isSo) {
  while (!isSo()) await once(emitter, event);
}
