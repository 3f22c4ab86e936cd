/** The child's side of the channel, and the messages of both: for each question one `answer`, and before it notes of what is known so far. */
import type { DescribedError } from '../run/work/batch.js';
import { describeError, stackOf } from '../run/work/described-error.js';
import type { Outcome } from './child.js';

/** `hello` says that the child listens: a message that is sent to a process of a cluster before that would be lost. */
export type Reply =
  | { readonly type: 'hello' }
  | { readonly type: 'note'; readonly known: unknown }
  | { readonly type: 'answer'; readonly outcome: Extract<Outcome<never>, { kind: 'done' | 'failed' }> }
  /** Comes unasked: nothing catches this error, which most often ends the process. */
  | { readonly type: 'uncaught'; readonly error: DescribedError };

type Question = { readonly type: string; readonly asks: unknown };

/** Marks our messages on a channel that the user's module may use, too. */
const MARK = 'threadwise-probe';

export function wrapped(message: Question | Reply): object {
  return { [MARK]: message };
}

/** Inverse of `wrapped`. Undefined: the message is not ours. */
export function unwrap<M extends Question | Reply>(message: unknown): M | undefined {
  const isOurs = typeof message === 'object' && message !== null && MARK in message;
  return isOurs ? (message[MARK] as M) : undefined;
}

/** Resolves when the note has left the process: what the process does next may end it. */
export type Note = (known: unknown) => Promise<void>;

type Handler = (asks: never, note: Note) => unknown;

/** The questions and answers of a child that serves these handlers. */
export type TalkOf<H extends Readonly<Record<string, Handler>>> = {
  [K in keyof H]: { asks: Parameters<H[K]>[0]; gets: Awaited<ReturnType<H[K]>> };
};

/** Taken before the user's module is loaded, which may replace `process.send`. */
const send = process.send?.bind(process);

function say(reply: Reply): Promise<void> {
  return new Promise((resolve) => {
    if (send === undefined || !process.connected) return resolve();
    send(wrapped(reply), undefined, undefined, () => resolve());
  });
}

function told(thrown: unknown): DescribedError {
  return { ...describeError(thrown), stack: stackOf(thrown) };
}

/** Answers each question, and ends with the command. */
export function serve(handlers: Readonly<Record<string, Handler>>): void {
  const answerTo = async ({ type, asks }: Question) => {
    try {
      // The types of the client see to it that the question fits the handler.
      const value = await handlers[type]!(asks as never, (known) => say({ type: 'note', known }));
      await say({ type: 'answer', outcome: { kind: 'done', value: value as never } });
    } catch (error) {
      await say({ type: 'answer', outcome: { kind: 'failed', error: told(error) } });
    }
  };
  process.on('message', (message) => {
    const question = unwrap<Question>(message);
    if (question !== undefined) void answerTo(question);
  });
  // Ctrl-C in a terminal reaches all processes of the command, but only the command itself decides when they end.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit());
  // A short message is written at once, before the process ends.
  process.on('uncaughtExceptionMonitor', (thrown) => {
    void say({ type: 'uncaught', error: told(thrown) });
  });
  void say({ type: 'hello' });
}

/** Opens what a child measures, once; then the child is asked for one step after the other. */
type Opener = (setup: never, note: Note) => Promise<{ readonly opened: unknown; step?: Handler }>;

/** The questions that such a child answers, as its client types them. */
export type StepsOf<O extends Opener> = {
  open: { asks: Parameters<O>[0]; gets: Awaited<ReturnType<O>>['opened'] };
  step: TalkOf<{ step: NonNullable<Awaited<ReturnType<O>>['step']> }>['step'];
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
