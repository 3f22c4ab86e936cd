// One keep-alive connection to a server, which sends a request when the last one is answered. It uses a plain socket:
// Node's own client takes more of a core than the server does, and both share what cores there are.
import { once } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';

const END_OF_HEAD = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

export class Connection {
  #socket;
  #request;
  #expected;
  #received = NOTHING;
  #answered;
  #failure;

  /** @param path the path of every request @param expected the body of every answer */
  static async open({ port, path, expected }) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket, path, expected);
  }

  constructor(socket, path, expected) {
    this.#socket = socket;
    this.#request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
    this.#expected = Buffer.from(expected);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error('the server closed a connection')));
  }

  /** Resolves to how many milliseconds passed until the whole answer was there. Rejects if the answer is wrong. */
  async request() {
    const start = performance.now();
    await new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#answered = { resolve, reject };
      this.#socket.write(this.#request);
    });
    return performance.now() - start;
  }

  close() {
    this.#socket.destroy();
  }

  #take(chunk) {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headLength = this.#received.indexOf(END_OF_HEAD);
    if (headLength === -1) return;
    const head = this.#received.latin1Slice(0, headLength);
    const bodyLength = Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? 0);
    const body = this.#received.subarray(headLength + END_OF_HEAD.length);
    if (body.length < bodyLength) return;
    this.#received = NOTHING;
    const isRight = head.startsWith('HTTP/1.1 200 ') && body.equals(this.#expected);
    this.#end(
      isRight ? undefined : new Error(`a wrong answer: ${head.split('\r\n')[0]} ${body.subarray(0, 100)}`),
    );
  }

  #end(error) {
    const answered = this.#answered;
    this.#answered = undefined;
    if (error === undefined) return answered?.resolve();
    this.#failure ??= error;
    answered?.reject(this.#failure);
  }
}
