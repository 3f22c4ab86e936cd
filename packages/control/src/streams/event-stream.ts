/** One client that follows a pool. It is told as much as it reads, and cut off if it does not read. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

export class EventStream {
  readonly #response: ServerResponse;
  readonly #backlogBytes: number;

  constructor(response: ServerResponse, headers: OutgoingHttpHeaders, backlogBytes: number) {
    this.#response = response;
    this.#backlogBytes = backlogBytes;
    response.on('error', () => undefined); // 'close' follows
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no', // a proxy should not gather it
    });
  }

  get isEnded(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  onEnd(listener: () => void): void {
    this.#response.once('close', listener);
  }

  send(bytes: Buffer): void {
    if (this.isEnded) return;
    if (this.#response.writableLength > this.#backlogBytes) this.#response.destroy();
    else this.#response.write(bytes);
  }

  /** What was sent still arrives. */
  end(): void {
    if (!this.isEnded) this.#response.end();
  }
}
