// A way to Redis that can be cut: a TCP proxy.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { onEnd } from './redis.mjs';

export async function proxyTo(t, port) {
  const pairs = new Set();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(port, '127.0.0.1');
    const pair = [near, far];
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near]]) {
      from
        .on('error', () => undefined)
        .on('close', () => {
          to.destroy();
          pairs.delete(pair);
        });
      from.pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    isCut = true;
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  onEnd(t, () => {
    cut();
    server.close();
  });
  const mend = () => {
    isCut = false;
  };
  return { connection: { host: '127.0.0.1', port: server.address().port }, cut, mend };
}
