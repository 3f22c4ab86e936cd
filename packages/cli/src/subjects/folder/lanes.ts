/** The processes that read, one for each way and one for the control: started, asked in turn, and ended. */

import type { LaneName, Measured } from './class-draft.js';
import type { Clock } from './clock.js';
import { CoreMeter } from './cores.js';
import type { ReadRequest, Slice } from './reader/protocol.js';
import { ReaderClient, ReaderError } from './reader/client.js';
import { WAYS } from './ways.js';

/** What they hold before they do anything: generous, since the alternative is to be killed. */
const PROCESS_BYTES = 60 * 2 ** 20;
const READER_BYTES = 30 * 2 ** 20;
/** Of all memory, so much may be taken by processes that wait for their turn. */
const MEMORY_SHARE = 0.5;
/** So many are started at a time. */
const STARTS = 2;

interface Lane {
  readonly name: LaneName;
  client: ReaderClient | undefined;
  isDead: boolean;
}

export interface LanesOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly readers: number;
  readonly memoryBytes: number;
  /** A way cannot be measured. */
  readonly skip: (what: LaneName, why: string) => void;
}

export interface Answered {
  readonly slice: Slice;
  readonly measured: Measured;
}

export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes: readonly Lane[];
  readonly #meter = new CoreMeter();
  /** There is not enough memory for all at once: each is started anew for its turn. */
  readonly #isTight: boolean;

  constructor(options: LanesOptions) {
    this.#options = options;
    const names: LaneName[] = ['control', ...WAYS.map(({ name }) => name)];
    this.#lanes = names.map((name) => ({ name, client: undefined, isDead: false }));
    const parallel = WAYS.filter(({ isParallel }) => isParallel).length;
    const wanted = names.length * PROCESS_BYTES + parallel * options.readers * READER_BYTES;
    this.#isTight = wanted > MEMORY_SHARE * options.memoryBytes;
  }

  /** Those that can be asked. */
  get names(): LaneName[] {
    return this.#lanes.filter(({ isDead }) => !isDead).map(({ name }) => name);
  }

  async openAll(): Promise<void> {
    if (this.#isTight) return;
    const waiting = [...this.#lanes];
    const starter = async (): Promise<void> => {
      for (let lane = waiting.shift(); lane !== undefined; lane = waiting.shift()) await this.#open(lane);
    };
    await Promise.all(Array.from({ length: STARTS }, starter));
  }

  /** Undefined: it could not, which has been said, or it was interrupted. */
  async read(name: LaneName, request: Omit<ReadRequest, 'type'>): Promise<Answered | undefined> {
    const lane = this.#lanes.find((each) => each.name === name)!;
    if (lane.client === undefined) await this.#open(lane);
    if (lane.client === undefined) return undefined;
    this.#meter.begin();
    try {
      const slice = await lane.client.read(request, this.#options.clock.patience(request.ms));
      return answered(slice, this.#meter.end());
    } catch (error) {
      this.#meter.end();
      await this.#bury(lane, error);
      return undefined;
    } finally {
      if (this.#isTight) await this.#end(lane);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => this.#end(lane)));
  }

  async #open(lane: Lane): Promise<void> {
    const { signal, clock, readers } = this.#options;
    if (signal.aborted || lane.isDead || lane.client !== undefined) return;
    const client = new ReaderClient(signal);
    lane.client = client;
    try {
      const way = lane.name === 'control' ? 'sync-loop' : lane.name;
      await client.open({ way, readers }, clock.patience());
    } catch (error) {
      await this.#bury(lane, error);
    }
  }

  async #bury(lane: Lane, error: unknown): Promise<void> {
    if (!(error instanceof ReaderError)) throw error;
    await this.#end(lane);
    if (this.#options.signal.aborted) return;
    lane.isDead = true;
    this.#options.skip(lane.name, error.message);
  }

  async #end(lane: Lane): Promise<void> {
    const { client } = lane;
    lane.client = undefined;
    await client?.kill();
  }
}

function answered(slice: Slice, busy: readonly (readonly number[])[]): Answered {
  const rate = slice.ms > 0 ? (slice.files * 1000) / slice.ms : Number.NaN;
  return { slice, measured: { rate, loopDelayMs: slice.loopDelayMs, busy } };
}
