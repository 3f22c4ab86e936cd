/**
 * A child's end of the line, and what both ends say: the command asks one thing at a time, and gets one `done` or `failed` for it. Before
 * that the child may send notes: it is alive, and what it knows so far. One that dies, or says nothing for too long, has said something
 * as well.
 */
import type { DescribedError } from '../run/work/batch.js';
import { describeError } from '../run/work/described-error.js';

/** hello: it listens. What is said to a process of a cluster before that would be lost. */
export type Reply =
  | { readonly type: 'hello' }
  | { readonly type: 'note'; readonly known: unknown }
  | { readonly type: 'done'; readonly value: unknown }
  | { readonly type: 'failed'; readonly error: DescribedError };

interface Question {
  readonly type: string;
  readonly asks: unknown;
}

/** Marks what is ours on a channel that the user's module could use as well. */
const MARK = 'threadwise-probe';

export function wrapped(message: Question | Reply): object {
  return { [MARK]: message };
}

/** Inverse of `wrapped`. Undefined: it is not ours. */
export function unwrap<M extends Question | Reply>(message: unknown): M | undefined {
  if (typeof message !== 'object' || message === null || !(MARK in message)) return undefined;
  return message[MARK] as M;
}

/** Resolves when the note has left the process: what comes next may end it. */
export type Note = (known: unknown) => Promise<void>;

/** What is known of a handler by its type: what it is asked, and what it gives. */
type Handler = (asks: never, note: Note) => unknown;

/** What can be asked of a child that serves these. */
export type TalkOf<H extends Readonly<Record<string, Handler>>> = {
  [K in keyof H]: { asks: Parameters<H[K]>[0]; gets: Awaited<ReturnType<H[K]>> };
};

/** What the user's module does to `process.send` later is its own affair. */
const send = process.send?.bind(process);

function say(reply: Reply): Promise<void> {
  return new Promise((resolve) => {
    if (send === undefined || !process.connected) return resolve();
    send(wrapped(reply), undefined, undefined, () => resolve());
  });
}

const note: Note = (known) => say({ type: 'note', known });

/** Answers each question, and ends with the command. */
export function serve(handlers: Readonly<Record<string, Handler>>): void {
  const answer = async ({ type, asks }: Question): Promise<void> => {
    try {
      // Which question belongs to which handler, the types of the client have seen to.
      const value = await handlers[type]!(asks as never, note);
      await say({ type: 'done', value });
    } catch (error) {
      await say({ type: 'failed', error: describeError(error) });
    }
  };
  process.on('message', (message) => {
    const question = unwrap<Question>(message);
    if (question !== undefined) void answer(question);
  });
  // Ctrl-C in a terminal is for all processes of the command; it decides itself when they end.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit());
  void say({ type: 'hello' });
}

/** Opens what a child measures, once; then the child is asked for one step after the other. */
type Opener = (
  setup: never,
  note: Note,
) => Promise<{ readonly opened: unknown; step?(step: never): Promise<unknown> }>;

/** The questions that such a child answers, as its client types them. */
export type StepsOf<O extends Opener> = {
  open: { asks: Parameters<O>[0]; gets: Awaited<ReturnType<O>>['opened'] };
  step: Awaited<ReturnType<O>> extends { step(step: infer S): Promise<infer R> }
    ? { asks: S; gets: R }
    : { asks: never; gets: never };
};

export function serveSteps(open: Opener): void {
  let playing: Awaited<ReturnType<Opener>> | undefined;
  serve({
    open: async (setup: never, noting) => {
      playing = await open(setup, noting);
      return playing.opened;
    },
    step: (step: never) => playing!.step!(step),
  });
}
