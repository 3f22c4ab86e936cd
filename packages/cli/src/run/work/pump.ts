/**
 * Keeps the workers fed: cuts inputs into batches, has a bounded number of them out, and yields results in order.
 *
 * The library's `map` is not used. Its first failed call ends it; here a batch whose worker dies is called again input by input, and the
 * others go on. It has one bound for calls that run and results that wait; here the bound for calls is small, so that Ctrl-C has little to
 * wait for, and depends on how long batches take, while the bound for results is large and by their size. And it yields results one by one;
 * here all that are ready are one write and one record of the journal.
 */
import v8 from 'node:v8';
import { tried } from '../../system-error.js';
import type { InputGroups, Position } from '../inputs/input-source.js';
import type { RunBatch } from './attempts.js';
import type { Batch, BatchOutcome, BatchResult } from './batch.js';

/** How many batches may be read but not given out. It bounds memory where one slow input holds up the order. */
const MAX_WAITING_BATCHES = 1024;
/** The size of the finished results that may wait, or are given out together. Guessed: far more than a window of usual results. */
const MAX_WAITING_SIZE = 32 * 1024 * 1024;

export type Pump = ReturnType<typeof createPump>;

export function createPump(ordered: boolean, batching: Batching, run: RunBatch) {
  /** Every batch that was read and not given out, in the order of reading. */
  let slots: { result?: BatchResult; size?: number }[] = [];
  let running = 0;
  let waitingSize = 0;
  let input: 'idle' | 'reading' | 'ended' = 'idle';
  let failed: { readonly reason: unknown } | undefined;
  let wake = (): void => {};
  return { results, stop };

  /** Yields everything that is ready, each time there is something; ends when all that was begun has been yielded. */
  async function* results(groups: InputGroups): AsyncGenerator<readonly BatchResult[]> {
    const batches = batchesOf(groups, batching);
    for (;;) {
      // The promise is made before looking, so that a change meanwhile resolves it.
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const ready = takeReady();
      void read(batches);
      if (ready.length > 0) yield ready;
      else if (slots.length === 0 && input === 'ended') break;
      else await changed;
    }
    if (failed !== undefined) throw failed.reason;
  }

  /** Begins nothing more; what is running still comes out of `results`. */
  function stop(): void {
    input = 'ended';
    wake();
  }

  function fail(reason: unknown): void {
    failed ??= { reason };
    stop();
  }

  /** Begins batches until there are enough. One reader at a time: the next input may be long in coming. */
  async function read(batches: AsyncGenerator<Batch>): Promise<void> {
    if (input !== 'idle') return;
    input = 'reading';
    try {
      while (hasRoom()) {
        const { value, done } = await batches.next();
        if (hasStopped()) return;
        if (done === true) return stop();
        // Reading goes on while results are written: the workers need not wait for that.
        void work(value).then(() => read(batches));
      }
      input = 'idle';
    } catch (error) {
      fail(error);
    }
  }

  /** Must be called after each await: `stop` may have been called meanwhile. */
  function hasStopped(): boolean {
    return input === 'ended';
  }

  function hasRoom(): boolean {
    return running < batching.depth() && slots.length < MAX_WAITING_BATCHES && waitingSize < MAX_WAITING_SIZE;
  }

  async function work(batch: Batch): Promise<void> {
    const slot: (typeof slots)[number] = {};
    slots.push(slot);
    running += 1;
    try {
      slot.result = await run(batch);
      slot.size = sizeOf(slot.result);
      waitingSize += slot.size;
      batching.note(slot.result);
    } catch (error) {
      // If the output is ordered, the batches behind the lost one must not be given out either.
      const at = slots.indexOf(slot);
      slots = slots.filter((_, i) => (ordered && at !== -1 ? i < at : i !== at));
      fail(error);
    }
    running -= 1;
    wake();
  }

  /** Takes the results that are ready, but no more than fit into one string, which they become. */
  function takeReady(): BatchResult[] {
    const ready = new Set<BatchResult>();
    let all = 0;
    for (const { result, size = 0 } of slots) {
      if (result === undefined && ordered) break;
      if (result === undefined) continue;
      all += size;
      if (ready.size > 0 && all > MAX_WAITING_SIZE) break;
      ready.add(result);
      waitingSize -= size;
    }
    if (ready.size > 0) slots = slots.filter(({ result }) => result === undefined || !ready.has(result));
    return [...ready];
  }
}

/** The characters of the text; the bytes of values to fold, which are taken to be as large as the first one. */
function sizeOf({ text, values }: BatchResult): number {
  if (values.length === 0) return text.length;
  const [first] = values;
  const bytes = ArrayBuffer.isView(first) ? first.byteLength : tried(() => v8.serialize(first).length);
  return text.length + values.length * (bytes ?? 0);
}

/** A batch is cut from one group, and so never waits for the next one. */
async function* batchesOf(groups: InputGroups, batching: Batching): AsyncGenerator<Batch> {
  let after: Position | undefined;
  for await (const group of groups) {
    for (let at = 0; at < group.length;) {
      const inputs = group.slice(at, at + batching.size());
      at += inputs.length;
      yield { inputs, after };
      after = inputs.at(-1)!.position;
    }
  }
}

/** How many milliseconds a batch should take: to send it costs tens of microseconds, which is then below one per cent. */
const TARGET_BATCH_MS = 5;
/** How many inputs a batch may have: beyond this, sending costs next to nothing already, and a larger batch only takes memory. */
const MAX_BATCH = 256;
/** By which factor a batch may grow at a time: the first inputs may be much cheaper than the next. */
const MAX_GROWTH = 4;
/** The weight of the newest batch in the running mean; small enough to ride out single odd inputs. */
const NEWEST = 0.3;

export type Batching = ReturnType<typeof createBatching>;

export function createBatching(batch: number | 'auto', threads: number) {
  let meanMs: number | undefined;
  let size = batch === 'auto' ? 1 : batch;
  return {
    /** How many inputs the next batch has. */
    size: (): number => size,
    /** How many batches may be with the pool at once. */
    depth: (): number => threads * depthPerThread(meanMs === undefined ? undefined : meanMs * size),
    /** Learns from a batch that ran. */
    note({ ran, runMs }: Pick<BatchOutcome, 'ran' | 'runMs'>): void {
      if (ran === 0) return;
      const itemMs = runMs / ran;
      meanMs = meanMs === undefined ? itemMs : meanMs + NEWEST * (itemMs - meanMs);
      if (batch === 'auto') size = nextSize(size, meanMs);
    },
  };
}

function nextSize(size: number, itemMs: number): number {
  const wanted = Math.floor(TARGET_BATCH_MS / Math.max(itemMs, TARGET_BATCH_MS / MAX_BATCH));
  return Math.max(1, Math.min(wanted, size * MAX_GROWTH, MAX_BATCH));
}

/** A batch that takes fewer milliseconds than SHORT_MS is short, one that takes LONG_MS or more is long. Chosen by hand. */
const SHORT_MS = 2 * TARGET_BATCH_MS;
const LONG_MS = 100;
/**
 * How many batches each thread has, the one that runs included. Several short ones wait, to hide the time of sending. Long ones do not
 * wait: sending takes little time in comparison, and Ctrl-C has to wait for every batch that is out. Chosen by hand.
 */
const DEPTH = { short: 8, usual: 2, long: 1 } as const;

function depthPerThread(batchMs: number | undefined): number {
  if (batchMs === undefined) return DEPTH.usual;
  if (batchMs < SHORT_MS) return DEPTH.short;
  return batchMs < LONG_MS ? DEPTH.usual : DEPTH.long;
}
