/** `threadwise top`: reads once a second, shows, and sends what was asked for. */

import { ExitCode } from '../../exit-code.js';
import { shown } from '../address.js';
import { ControlClient } from '../client.js';
import { ControlError } from '../control-error.js';
import { TOKEN_VARIABLE } from '../failures.js';
import { safeText } from '../text.js';
import { keyOf } from './keys.js';
import { paint } from './paint.js';
import { snapshotOf } from './pool-view.js';
import { pauseAfter } from './reconnect.js';
import { initialState, type Request, step, type TopEvent, type TopState, type Wish } from './state.js';
import { type EndSignal, Terminal } from './terminal.js';
import { snapshotText, view } from './view.js';

export interface TopOptions {
  readonly address: URL;
  readonly token: string | undefined;
  /** One snapshot as plain text. */
  readonly once: boolean;
}

const READ_EVERY_MS = 1000;

const exitCodes: Readonly<Record<EndSignal, number>> = {
  SIGINT: ExitCode.interrupted,
  SIGTERM: ExitCode.terminated,
  SIGHUP: ExitCode.hungUp,
};

/** Returns the exit code. What keeps it from beginning is thrown; what comes later is shown. */
export async function top({ address, token, once }: TopOptions): Promise<number> {
  const ending = new AbortController();
  const client = new ControlClient({ address, token, signal: ending.signal });
  const state = initialState(shown(address), snapshotOf(await client.overview(), Date.now()));
  if (once || !canDraw()) {
    process.stdout.write(snapshotText(state, textWidth()));
    return ExitCode.ok;
  }
  try {
    return await new Top(client, state).run();
  } finally {
    ending.abort();
  }
}

function canDraw(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== 'dumb';
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
  #failures = 0;
  #end: (exitCode: number) => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(client: ControlClient, state: TopState) {
    this.#client = client;
    this.#state = state;
    this.#terminal = new Terminal(process.stdin, process.stdout, {
      key: (press) => this.#handle({ kind: 'key', key: keyOf(press) }),
      redraw: () => this.#draw(),
      ended: (signal) => this.#end(exitCodes[signal]),
    });
  }

  async run(): Promise<number> {
    const ended = new Promise<number>((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    this.#terminal.open();
    this.#draw();
    const timer = setInterval(() => this.#tick(), READ_EVERY_MS);
    try {
      return await ended;
    } finally {
      clearInterval(timer);
      this.#terminal.close();
    }
  }

  #tick(): void {
    const now = Date.now();
    this.#handle({ kind: 'tick', now });
    const { link } = this.#state;
    if (link.kind === 'live' || link.retryAt <= now) void this.#read();
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const overview = await this.#client.overview();
      this.#failures = 0;
      this.#handle({ kind: 'snapshot', snapshot: snapshotOf(overview, Date.now()) });
    } catch (error) {
      const pause = pauseAfter(this.#failures);
      this.#failures += 1;
      this.#tell(error, (text) => ({ kind: 'lost', why: text, retryAt: Date.now() + pause }));
    } finally {
      this.#isReading = false;
    }
  }

  async #send({ pool, ask, done }: Request): Promise<void> {
    try {
      if ('action' in ask) await this.#client.act(pool, ask.action);
      else await this.#client.change(pool, ask.change);
      this.#handle({ kind: 'told', notice: done });
    } catch (error) {
      this.#tell(error, (text) => ({ kind: 'told', notice: `Not done: ${text}` }));
    }
    // What it came to is seen at once.
    await this.#read();
  }

  /**
   * An error in here ends it by way of `run`: it would be printed on the screen that is about to go,
   * otherwise.
   */
  #handle(event: TopEvent): void {
    try {
      const { state, wish } = step(this.#state, event);
      this.#state = state;
      this.#draw();
      this.#grant(wish);
    } catch (error) {
      this.#fail(error);
    }
  }

  #grant(wish: Wish | undefined): void {
    switch (wish?.kind) {
      case 'quit':
        return this.#end(ExitCode.ok);
      case 'interrupt':
        return this.#end(ExitCode.interrupted);
      case 'suspend':
        return this.#terminal.suspend();
      case 'send':
        void this.#send(wish.request);
    }
  }

  #tell(error: unknown, event: (why: string) => TopEvent): void {
    if (error instanceof ControlError) this.#handle(event(why(error)));
    else this.#fail(error);
  }

  #draw(): void {
    const { size } = this.#terminal;
    this.#terminal.write(paint(view(this.#state, size), size.columns, !process.env.NO_COLOR));
  }
}

function why(error: ControlError): string {
  // There is one line for it, and the address is on the screen.
  if (error.code === 'ERR_UNAUTHORISED') return `a token is needed, or another one: set ${TOKEN_VARIABLE}`;
  return safeText(error.message);
}
