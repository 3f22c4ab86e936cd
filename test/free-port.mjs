// A free port, for programs that must be told on which port to listen, such as servers that are not Node.js.
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port of the loopback address that was free a moment ago. It is below those that systems give to whoever asks for any: so no other test gets
 * it before the program listens there, or while that restarts.
 */
export async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue; // somebody has it
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
