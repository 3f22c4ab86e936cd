// A Redis for a test: on a free loopback port, in a folder of its own, gone when the test ends. Without the program, tests skip by name.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { Redis } from 'ioredis';
import { freePort } from 'threadwise-test/free-port';
import { redisProgram } from 'threadwise-test/redis-program';

/** For `test(name, { skip }, …)`. */
export const skip = redisProgram ? false : 'no redis-server: node scripts/ensure-redis.mjs';

const ends = new WeakMap();
/** Has `end` called when the test ends: what was begun last ends first. `t`: whatever has an `after`. */
export function onEnd(t, end) {
  if (!ends.has(t)) {
    const all = [];
    ends.set(t, all);
    t.after(async () => {
      for (const each of all.reverse()) await each();
    });
  }
  ends.get(t).push(end);
}

export class RedisServer {
  #child;
  #args;
  dir = mkdtempSync(join(tmpdir(), 'threadwise-redis-'));
  port;

  /** @param args further ones, such as '--requirepass' */
  static async start(t, ...args) {
    const server = new RedisServer();
    onEnd(t, () => server.#remove());
    server.port = await freePort();
    server.#args = args;
    await server.restart();
    return server;
  }

  get connection() {
    return { host: '127.0.0.1', port: this.port };
  }

  /** Starts it, or ends it and starts it again with what it has kept. Resolves when it answers. */
  async restart() {
    await this.stop();
    const where = ['--port', this.port, '--bind', '127.0.0.1', '--dir', this.dir, '--save', ''];
    const args = [...where, '--appendfsync', 'always', '--maxmemory-policy', 'noeviction', ...this.#args];
    const [command, ...rest] = [...redisProgram, ...args.map(String)];
    this.#child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child.stdout.setEncoding('utf8');
    for await (const [chunk] of on(this.#child.stdout)) if (chunk.includes('Ready to accept')) break;
    this.#child.stdout.resume();
  }

  /** As if the power went. */
  async stop() {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** It answers nothing, and its connections stay. */
  freeze() {
    this.#child.kill('SIGSTOP');
  }

  thaw() {
    this.#child.kill('SIGCONT');
  }

  async #remove() {
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** A client that ends with the test. */
  client(t) {
    const redis = new Redis({ ...this.connection, maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    onEnd(t, () => redis.disconnect());
    return redis;
  }
}

/** In a suite: starts a Redis before its first test, for all of them, and ends it after the last. */
export function startForSuite(take) {
  let end;
  before(async () => take(await RedisServer.start({ after: (ends) => (end = ends) })));
  after(() => end?.());
}

/** The chunks of a stream, joined so far; ends with it. */
async function* on(stream) {
  let text = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += chunk;
    yield [text];
  }
  throw new Error(`redis-server ended: ${text}`);
}
