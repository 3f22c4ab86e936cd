/**
 * A port on which no message is lost in silence. Any message can fail to be read: a value in it that is
 * nested too deeply for the reader's stack, say, which was no trouble to write. Then all that the reader knows is how many
 * messages came before it. So it tells the sender which one it could not read and why, and the sender, who has kept what
 * each message is about, settles the one call with an error, as if the post had thrown. Both ends of a port have to be lines.
 */
import type { Port } from '../core/contracts.js';

const READ = -1; // how many messages were read: the sender need not know any longer what they were about
const UNREAD = -2; // which message could not be read, and why
/** The reader says that it has read messages when it has read this many more. Chosen by hand. */
const READ_EVERY = 256;

/** A message without its last part. What came from a caller or from a task, and only that, is the last part of a message. */
export type About = readonly unknown[];

export class Line {
  unreadCount = 0; // messages that came and could not be read
  readonly #port: Port;
  readonly #abouts: About[] = []; // what each posted message was about, from message number `#known` on
  #known = 0;
  #received = 0; // messages that came, readable or not

  constructor(port: Port) {
    this.#port = port;
  }

  post(message: unknown, transfer?: readonly unknown[]): void {
    this.#port.post(message, transfer);
    // Noted after the post: if a getter of the message posts another message, that other message is sent first.
    this.#abouts.push((message as readonly unknown[]).slice(0, -1));
  }

  /** @param onUnread called when the other end could not read a message of this end */
  listen(
    handler: (message: unknown) => void,
    onBatch?: () => void,
    onUnread?: (about: About, reason: string) => void,
  ): void {
    this.#port.listen(
      (message) => {
        this.#count();
        const [type, number, reason] = message as readonly [number, number, string];
        if (type === READ) {
          this.#abouts.splice(0, number - this.#known);
          this.#known = number;
        } else if (type === UNREAD) onUnread?.(this.#abouts[number - this.#known] ?? [], reason);
        else handler(message);
      },
      onBatch,
      (error) => {
        const number = this.#received;
        this.#count();
        this.unreadCount++;
        this.post([UNREAD, number, error instanceof Error ? error.message : String(error)]);
      },
    );
  }

  /** Handles the messages that have arrived. Returns how many there were. */
  drain(): number {
    return this.#port.drain();
  }

  close(): void {
    this.#port.close();
  }

  #count(): void {
    if (++this.#received % READ_EVERY === 0) this.post([READ, this.#received]);
  }
}
