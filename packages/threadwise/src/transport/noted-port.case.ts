/** One end of a line for tests: what is posted is noted down, what is said is heard at once. */
import type { Port } from '../core/contracts.js';

export class NotedPort implements Port {
  readonly posted: unknown[] = [];
  say: (message: unknown) => void = () => undefined;
  isClosed = false;

  post(message: unknown): void {
    this.posted.push(message);
  }

  listen(handler: (message: unknown) => void, onBatch: () => void = () => undefined): void {
    this.say = (message) => {
      handler(message);
      onBatch();
    };
  }

  drain(): number {
    return 0;
  }

  close(): void {
    this.isClosed = true;
  }
}
