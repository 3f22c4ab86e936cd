// Starts a Redis for one sample, on a port of its own, without persistence.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from 'threadwise-test/free-port';
import { redisProgram } from 'threadwise-test/redis-program';

/** Resolves to undefined if there is no Redis on this machine. */
export async function startRedis() {
  if (redisProgram === undefined) return undefined;
  const port = await freePort();
  const settings = { port, bind: '127.0.0.1', save: '', appendonly: 'no', 'maxmemory-policy': 'noeviction' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const [command, ...rest] = [...redisProgram, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) if (line.includes('Ready to accept')) break;
  child.stdout.resume();
  const stop = () => {
    child.kill();
    return ended;
  };
  return { port, stop };
}
