/** `threadwise top`: reads once a second, shows, and sends what was asked for. */

import { ExitCode, signalExitCodes } from '../../exit-code.js';
import { safeText } from '../../format/text.js';
import { shown, TOKEN_VARIABLE } from '../address.js';
import { ControlClient } from '../client.js';
import { ControlError } from '../errors.js';
import { paint } from './line.js';
import type { Snapshot } from './columns.js';
import {
  initialState,
  keyOf,
  pressed,
  type Request,
  type Step,
  type TopState,
  withSnapshot,
} from './state.js';
import { openTerminal, type Terminal } from './terminal.js';
import { snapshotText, view } from './view.js';

const READ_EVERY_MS = 1000;

/** How long it waits between two attempts to connect, at first and at most: twice as long each time. Chosen, not measured. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Returns the exit code. What keeps it from beginning is thrown; what comes later is shown.
 * @param once one snapshot as plain text
 */
export async function top(address: URL, token: string | undefined, once: boolean): Promise<number> {
  const ending = new AbortController();
  const client = new ControlClient({ address, token, signal: ending.signal });
  const state = initialState(shown(address), await read(client));
  const canDraw =
    process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== 'dumb';
  if (once || !canDraw) {
    process.stdout.write(snapshotText(state, textWidth()));
    return ExitCode.ok;
  }
  try {
    return await new Top(client, state).run();
  } finally {
    ending.abort();
  }
}

async function read(client: ControlClient): Promise<Snapshot> {
  return { ...(await client.overview()), at: Date.now() };
}

/** What goes to a file or a pipe is not cut, unless COLUMNS says so. */
function textWidth(): number {
  const width = Number(process.env.COLUMNS) || process.stdout.columns;
  return width > 0 ? width : Number.POSITIVE_INFINITY;
}

class Top {
  readonly #client: ControlClient;
  readonly #terminal: Terminal;
  #state: TopState;
  #isReading = false;
  #pauseMs = FIRST_PAUSE_MS;
  #end!: (exitCode: number) => void;
  #fail!: (error: unknown) => void;
  readonly #exitCode = new Promise<number>((resolve, reject) => {
    this.#end = resolve;
    this.#fail = reject;
  });

  constructor(client: ControlClient, state: TopState) {
    this.#client = client;
    this.#state = state;
    this.#terminal = openTerminal({
      key: (press) => this.#change((now) => pressed(now, keyOf(press))),
      redraw: () => this.#draw(),
      ended: (signal) => this.#end(signalExitCodes[signal]),
    });
  }

  async run(): Promise<number> {
    this.#draw();
    const timer = setInterval(() => this.#tick(), READ_EVERY_MS);
    try {
      return await this.#exitCode;
    } finally {
      clearInterval(timer);
      this.#terminal.close();
    }
  }

  #tick(): void {
    const now = Date.now();
    this.#change((state) => ({ state: { ...state, now } }));
    const { link } = this.#state;
    if (link.kind === 'live' || link.retryAt <= now) void this.#read();
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const snapshot = await read(this.#client);
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#change((state) => ({ state: withSnapshot(state, snapshot) }));
    } catch (error) {
      const retryAt = Date.now() + this.#pauseMs;
      this.#pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseMs);
      this.#tell(error, (why) => ({ link: { kind: 'lost', why, retryAt } }));
    } finally {
      this.#isReading = false;
    }
  }

  async #send({ pool, ask, done }: Request): Promise<void> {
    try {
      if ('action' in ask) await this.#client.act(pool, ask.action);
      else await this.#client.change(pool, ask.change);
      this.#change((state) => ({ state: { ...state, notice: done } }));
    } catch (error) {
      this.#tell(error, (why) => ({ notice: `Not done: ${why}` }));
    }
    // What it came to is seen at once.
    await this.#read();
  }

  /** An error in here ends it by way of `run`: otherwise it would be printed on the screen that is about to go. */
  #change(make: (state: TopState) => Step): void {
    try {
      const { state, wish } = make(this.#state);
      this.#state = state;
      this.#draw();
      if (wish?.kind === 'quit') this.#end(ExitCode.ok);
      else if (wish?.kind === 'interrupt') this.#end(ExitCode.interrupted);
      else if (wish?.kind === 'suspend') this.#terminal.suspend();
      else if (wish?.kind === 'send') void this.#send(wish.request);
    } catch (error) {
      this.#fail(error);
    }
  }

  #tell(error: unknown, told: (why: string) => Partial<TopState>): void {
    if (!(error instanceof ControlError)) return this.#fail(error);
    // There is one line for it, and the address is on the screen.
    const isToken = error.exitCode === ExitCode.unauthorised;
    const why = isToken
      ? `a token is needed, or another one: set ${TOKEN_VARIABLE}`
      : safeText(error.message);
    this.#change((state) => ({ state: { ...state, ...told(why) } }));
  }

  #draw(): void {
    const size = this.#terminal.size();
    this.#terminal.write(paint(view(this.#state, size), size.columns, !process.env.NO_COLOR));
  }
}
