// A way to Redis that can be cut, can be slow, and can lead elsewhere: a TCP proxy.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { Transform } from 'node:stream';
import { onEnd } from './redis.mjs';

export async function proxyTo(t, port) {
  const pairs = new Set();
  let isCut = false;
  let delayMs = 0;
  let target = port;
  /** Each chunk comes later, in order. */
  const delay = () =>
    new Transform({
      transform: (chunk, _encoding, done) => {
        if (delayMs === 0) done(null, chunk);
        else setTimeout(done, delayMs, null, chunk);
      },
    });
  const server = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(target, '127.0.0.1');
    const pair = [near, far];
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near]]) {
      from
        .on('error', () => undefined)
        .on('close', () => {
          to.destroy();
          pairs.delete(pair);
        });
      from.pipe(delay()).pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const drop = () => {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  const cut = () => {
    isCut = true;
    drop();
  };
  onEnd(t, () => {
    cut();
    server.close();
  });
  return {
    connection: { host: '127.0.0.1', port: server.address().port },
    cut,
    mend: () => {
      isCut = false;
    },
    /** Each chunk, in either direction, takes so long from now on. */
    slow: (ms) => {
      delayMs = ms;
    },
    /** Ends all connections; the next ones go there. */
    leadTo: (other) => {
      target = other;
      drop();
    },
  };
}
