/** A process that the command has started is asked one thing at a time. Whatever becomes of it is an answer. */
import type { ChildProcess } from 'node:child_process';
import type { DescribedError } from '../../run/work/batch.js';

export interface Ending {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** It did not even start: why. */
  readonly notStarted?: string;
}

export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: DescribedError }
  /** Its process is gone. */
  | ({ readonly kind: 'ended' } & Ending)
  /** It said nothing for that long. */
  | { readonly kind: 'silent'; readonly ms: number }
  | { readonly kind: 'aborted' };

export type Failure = Exclude<Outcome<never>, { kind: 'done' }>;

export interface Asked {
  readonly child: ChildProcess;
  /** Aborted: nobody wants to know any more. */
  readonly signal: AbortSignal;
  /** When it is gone, and all that it has said has been heard. */
  readonly gone: Promise<Ending>;
}

/** Resolves where it could not be started, and only then: that one has no end. */
export function failedStart(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    // Of one that runs, an error says that a message did not reach it: that it is gone says so as well.
    child.on('error', ({ message }) => {
      if (child.pid === undefined) resolve({ exitCode: null, signal: null, notStarted: message });
    });
  });
}

/**
 * @param limitMs how long it may say nothing
 * @param hear what a message comes to; 'more': it lives, and the answer is to come; undefined: it is none of ours
 */
export function ask<T>(
  { child, signal, gone }: Asked,
  question: object,
  limitMs: number,
  hear: (message: unknown) => Outcome<T> | 'more' | undefined,
): Promise<Outcome<T>> {
  if (signal.aborted) return Promise.resolve({ kind: 'aborted' });
  return new Promise((resolve) => {
    const settle = (outcome: Outcome<T>): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      child.off('message', listen);
      resolve(outcome);
    };
    const abort = (): void => settle({ kind: 'aborted' });
    const timer = setTimeout(() => settle({ kind: 'silent', ms: limitMs }), limitMs);
    const listen = (message: unknown): void => {
      const heard = hear(message);
      if (heard === 'more') timer.refresh();
      else if (heard !== undefined) settle(heard);
    };
    signal.addEventListener('abort', abort, { once: true });
    child.on('message', listen);
    void gone.then((ending) => settle({ kind: 'ended', ...ending }));
    // That it does not arrive is said by `gone`.
    child.send(question, () => {});
  });
}

/** For what is left out because of it: in words. */
export function describeFailure(failure: Failure): string {
  switch (failure.kind) {
    case 'failed':
      return `${failure.error.name}: ${failure.error.message}`;
    case 'ended':
      return describeEnding(failure);
    case 'silent':
      return `it had not answered after ${(failure.ms / 1000).toFixed(1)} s`;
    case 'aborted':
      return 'it was interrupted';
  }
}

function describeEnding({ exitCode, signal, notStarted }: Ending): string {
  if (notStarted !== undefined) return `its process did not start: ${notStarted}`;
  return `its process ended (${signal ?? `exit code ${exitCode}`})`;
}
