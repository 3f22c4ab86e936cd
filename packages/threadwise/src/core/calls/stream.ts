/**
 * `pool.stream`. The task hands over batches of what it yields, each by a call of `STREAM_HOST`, which is answered when the batch has been taken. It
 * ends only when all were taken: no value comes later than the end, on no way to cross. The worker's end: `runner/streamed.ts`.
 */
import type { Engine } from '../engine.js';
import { integer, list, record, text } from '../options/checks.js';
import { type RunOptions, resolveRun, runKeysBut } from './run-options.js';
import { AbortController, type AbortSignalLike, follow } from './signals.js';

/** Options of `pool.stream`: those of a call, which is never run again, since some of its values may have been taken. */
export interface StreamOptions extends Omit<RunOptions, 'retries'> {
  /** How many values the task may be ahead of those that were taken. Default 16. */
  highWaterMark?: number | undefined;
}

/** Ends the name of a call whose results are streamed, as that name crosses. No exported name ends in it. */
const STREAM_MARK = '\0stream';
/** The host function that takes a batch: `(stream, first, values) => isWanted`. No owner can offer one of that name. */
export const STREAM_HOST = '\0stream';

/** The last argument that a call whose results are streamed gets on its way to the worker. */
export interface Ticket {
  readonly stream: number;
  readonly highWaterMark: number;
}

export function packStream(name: string, args: readonly unknown[], ticket: Ticket): [string, unknown[]] {
  return [name + STREAM_MARK, [...args, ticket]];
}

/** The name of the function that such a call is for; undefined: it is no such call. */
export function streamedName(wireName: string): string | undefined {
  return wireName.endsWith(STREAM_MARK) ? wireName.slice(0, -STREAM_MARK.length) : undefined;
}

const KEYS = ['highWaterMark', ...runKeysBut('retries')];

/** `pool.stream`. Throws ERR_OPTION. */
export function streamed(engine: Engine, name: unknown, args: unknown, given: unknown = {}) {
  const { admission, defaults, parts, streams } = engine;
  const call = [text('name', name), list('args', args)] as const;
  const { highWaterMark = 16, ...run } = record('options', given, KEYS) as StreamOptions;
  integer('highWaterMark', highWaterMark, 1, Number.MAX_SAFE_INTEGER);
  const { signal: own } = resolveRun(run, defaults, parts.platform);
  return streams.values(highWaterMark, own, (ticket, signal) =>
    admission.enter(...call, { ...run, signal, retries: 0 }, { ticket }),
  );
}

interface Open {
  readonly batches: { readonly values: readonly unknown[]; readonly answer: (isWanted: boolean) => void }[];
  count: number;
  wake: () => void;
}

export class Streams {
  readonly #open = new Map<number, Open>();
  #count = 0;

  /** A task hands over values, after `first` others. Resolves to whether it is to go on, when they have been taken. Rejects if some are missing. */
  async take(stream: number, first: number, values: readonly unknown[]): Promise<boolean> {
    const open = this.#open.get(stream);
    if (open === undefined) return false;
    if (open.count !== first) throw new Error(`${first - open.count} values before these were lost`);
    open.count += values.length;
    return new Promise((answer) => {
      open.batches.push({ values, answer });
      open.wake();
    });
  }

  /** The values, then the end, or what the task threw. Begins with the first `next`. Leaving early aborts the call. */
  async *values(
    highWaterMark: number,
    signal: AbortSignalLike | undefined,
    submit: (ticket: Ticket, signal: AbortSignalLike) => Promise<unknown>,
  ): AsyncGenerator<unknown, void, void> {
    const stream = ++this.#count;
    const open: Open = { batches: [], count: 0, wake: () => undefined };
    const controller = new AbortController();
    const unfollow = follow(signal, controller);
    let end: { readonly error: unknown } | 'done' | undefined;
    const ended = (how: typeof end) => {
      end = how;
      open.wake();
    };
    this.#open.set(stream, open);
    try {
      submit({ stream, highWaterMark }, controller.signal).then(
        () => ended('done'),
        (error) => ended({ error }),
      );
      for (;;) {
        const [batch] = open.batches;
        if (batch !== undefined) {
          for (const value of batch.values) yield value; // by `yield*`, what a caller throws into it would be lost on Node.js 24
          open.batches.shift();
          batch.answer(true);
        } else if (end === 'done') return;
        else if (end !== undefined) throw end.error;
        else await new Promise<void>((resolve) => void (open.wake = resolve));
      }
    } finally {
      unfollow();
      this.#open.delete(stream);
      for (const { answer } of open.batches) answer(false);
      if (end === undefined) controller.abort(new Error('The stream was left early'));
    }
  }
}
