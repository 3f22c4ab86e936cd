/** The processes that read, one for each way and one for the control: started, asked in turn, and ended. */
import { coreTimes } from '../../../experiment/gauges.js';
import { isTight, Lane, openAll } from '../../../experiment/lane.js';
import type { StepsOf } from '../../../experiment/serve.js';
import type { Session } from '../../../experiment/session.js';
import { titleOf, WAYS } from '../rules/samples.js';
import type { ClassDraft, LaneName, Measured } from './class-draft.js';
import type { Found } from './find-files.js';
import type { FolderPlan } from './measure.js';
import type { open, ReadRequest } from './reader/process.js';

const PROCESS = new URL('./reader/process.js', import.meta.url);
/** What one more reader holds before it does anything: generous, since the alternative is to be killed. */
const READER_BYTES = 30 * 2 ** 20;

type Reading = StepsOf<typeof open>;

/** A measurement on its way: what was found, who reads it, and what came of it. */
export interface Job {
  readonly session: Session<FolderPlan>;
  readonly found: Found;
  readonly lanes: Lanes;
  /** That read at the same time, in ways that have several. */
  readonly readers: number;
  readonly drafts: ClassDraft[];
}

export interface Answered {
  readonly slice: Reading['step']['gets'];
  readonly measured: Measured;
}

export class Lanes {
  readonly #lanes: ReadonlyMap<LaneName, Lane<Reading>>;
  readonly #meter = new CoreMeter();
  readonly #isTight: boolean;

  /** @param readers that read at the same time, in ways that have several */
  constructor(session: Session, readers: number, memoryBytes: number) {
    const names: LaneName[] = ['control', ...WAYS.map(({ name }) => name)];
    const parallel = WAYS.filter(({ isParallel }) => isParallel).length;
    this.#isTight = isTight(names.length, parallel * readers * READER_BYTES, memoryBytes);
    const laneOf = (name: LaneName): Lane<Reading> =>
      new Lane({
        session,
        what: this.whatOf(name),
        start: () => session.start<Reading>(PROCESS),
        setup: { way: name === 'control' ? 'sync-loop' : name, readers },
        openMs: 0,
        isTight: this.#isTight,
      });
    this.#lanes = new Map(names.map((name) => [name, laneOf(name)]));
  }

  whatOf(name: LaneName): string {
    return name === 'control' ? 'the control run' : titleOf(name);
  }

  isDead(name: LaneName): boolean {
    return this.#lanes.get(name)!.isDead;
  }

  /** Those that can be asked. */
  get names(): LaneName[] {
    return [...this.#lanes].flatMap(([name, { isDead }]) => (isDead ? [] : [name]));
  }

  async openAll(): Promise<void> {
    if (!this.#isTight) await openAll([...this.#lanes.values()]);
  }

  /** Undefined: it could not, which has been said, or it was interrupted. */
  async read(name: LaneName, request: ReadRequest): Promise<Answered | undefined> {
    const lane = this.#lanes.get(name)!;
    await lane.open();
    this.#meter.begin();
    const slice = await lane.step(request, request.ms);
    const busy = this.#meter.end();
    if (slice === undefined) return undefined;
    const rate = slice.ms > 0 ? (slice.files * 1000) / slice.ms : Number.NaN;
    return { slice, measured: { rate, loopDelayMs: slice.loopDelayMs, busy } };
  }
}

/** The counters are of a hundredth of a second: less would say nothing. Milliseconds. */
const SAMPLE_MS = 100;

/** How busy each core of the machine is over time, from the system's own counters: by whatever runs on it. */
class CoreMeter {
  readonly #samples: number[][] = [];
  #last: ReturnType<typeof coreTimes> = [];
  #timer: NodeJS.Timeout | undefined;

  begin(): void {
    this.#last = coreTimes();
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  /** Inverse of `begin`: what has been sampled since then. */
  end(): number[][] {
    clearInterval(this.#timer);
    this.#sample();
    return this.#samples.splice(0);
  }

  #sample(): void {
    const now = coreTimes();
    const shares = now.map(({ busy, all }, core) => {
      const before = this.#last[core] ?? { busy: 0, all: 0 };
      const passed = all - before.all;
      return passed > 0 ? Math.min(1, Math.max(0, (busy - before.busy) / passed)) : Number.NaN;
    });
    this.#last = now;
    // The counters of the system advance in ticks: a sample that is shorter than a tick has no finite shares.
    if (shares.length > 0 && shares.every(Number.isFinite)) this.#samples.push(shares);
  }
}
