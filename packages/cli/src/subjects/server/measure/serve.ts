/** A child's end of the line: answers each question, and ends with the command. */
import { MARK, unwrap } from '../../function/probe/protocol.js';
import { describeError } from '../../../run/work/described-error.js';
import type { Question, Reply } from './protocol.js';

type Handlers<T> = {
  readonly [K in keyof T]: T[K] extends { asks: infer A; gets: infer G }
    ? (asks: A) => Promise<G> | G
    : never;
};

/** What the user's module does to `process.send` later is its own affair. */
const send = process.send?.bind(process);

/** Resolves when the message has left the process: what comes next may end it. */
function say(reply: Reply): Promise<void> {
  return new Promise((resolve) => {
    if (send === undefined || !process.connected) return resolve();
    send({ [MARK]: reply }, undefined, undefined, () => resolve());
  });
}

export function serve<T>(handlers: Handlers<T>): void {
  process.on('message', (message) => {
    const question = unwrap<Question>(message);
    if (question !== undefined) void answer(handlers, question);
  });
  // Ctrl-C in a terminal is for all processes of the command; it decides itself when they end.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit());
  void say({ type: 'hello' });
}

async function answer<T>(handlers: Handlers<T>, { type, asks }: Question): Promise<void> {
  try {
    // Which question belongs to which handler, the types of the client have seen to.
    const handler = handlers[type as keyof T] as (asks: unknown) => unknown;
    await say({ type: 'done', value: await handler(asks) });
  } catch (error) {
    await say({ type: 'failed', error: describeError(error) });
  }
}
