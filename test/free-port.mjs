// A free port, for programs that must be told on which port to listen, such as servers that are not Node.js.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of the loopback address that was free a moment ago. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
