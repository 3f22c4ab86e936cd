/** `threadwise top`: reads the pools once a second, draws them, and sends the changes that the user asks for. */

import { ExitCode } from '../../exit-code.js';
import { signalExitCodes } from '../../interrupts.js';
import { canDrawOn, safeText } from '../../format/text.js';
import { shown, TOKEN_VARIABLE } from '../address.js';
import { type ControlClient, openClient } from '../client.js';
import { ControlError } from '../errors.js';
import { paint } from './line.js';
import type { Snapshot } from './columns.js';
import { initialState, keyOf, pressed, withSnapshot } from './state.js';
import type { Request, Step, TopState } from './state.js';
import { openTerminal } from './terminal.js';
import { snapshotText, view } from './view.js';

/** How many milliseconds pass between two reads, and between two attempts to reach the program again. */
const READ_EVERY_MS = 1000;

/**
 * Returns the exit code. Throws if the first read fails; errors of later ones are shown on the screen.
 * @param once prints one snapshot as plain text
 */
export async function top(address: URL, token: string | undefined, once: boolean): Promise<number> {
  const ending = new AbortController();
  const client = openClient({ address, token, signal: ending.signal });
  const state = initialState(shown(address), await read(client));
  if (once || process.stdin.isTTY !== true || !canDrawOn(process.stdout)) {
    process.stdout.write(snapshotText(state, textWidth()));
    return ExitCode.ok;
  }
  try {
    return await watch(client, state);
  } finally {
    ending.abort();
  }
}

async function read(client: ControlClient): Promise<Snapshot> {
  return { ...(await client.overview()), at: Date.now() };
}

/** Output to a file or a pipe is not cut, unless COLUMNS is set. */
function textWidth(): number {
  const width = Number(process.env.COLUMNS) || process.stdout.columns;
  return width > 0 ? width : Number.POSITIVE_INFINITY;
}

/** Runs until the user or a signal ends it. Returns the exit code. */
async function watch(client: ControlClient, first: TopState): Promise<number> {
  let state = first;
  let isReading = false;
  let end!: (exitCode: number) => void;
  let fail!: (error: unknown) => void;
  const ended = new Promise<number>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  const terminal = openTerminal({
    key: (press) => change((now) => pressed(now, keyOf(press))),
    redraw: draw,
    ended: (signal) => end(signalExitCodes[signal]),
  });
  draw();
  const timer = setInterval(tick, READ_EVERY_MS);
  try {
    return await ended;
  } finally {
    clearInterval(timer);
    terminal.close();
  }

  function tick(): void {
    change((old) => ({ state: { ...old, now: Date.now() } }));
    void readOnce();
  }

  async function readOnce(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      const snapshot = await read(client);
      change((old) => ({ state: withSnapshot(old, snapshot) }));
    } catch (error) {
      // Who only does not answer is not gone: how old the figures are says the rest.
      tell(error, (why, isLate) => ({ lost: isLate ? undefined : why }));
    } finally {
      isReading = false;
    }
  }

  async function send({ pool, ask, done }: Request): Promise<void> {
    try {
      if ('action' in ask) await client.act(pool, ask.action);
      else await client.change(pool, ask.change);
      change((old) => ({ state: { ...old, notice: done } }));
    } catch (error) {
      // A program whose main thread is blocked does it once that goes on.
      tell(error, (why, isLate) => ({
        notice: `${isLate ? 'Not known whether it was done' : 'Not done'}: ${why}`,
      }));
    }
    // The user sees the effect at once, and not a second later.
    await readOnce();
  }

  /** An error rejects `ended`: thrown from here, it would be printed on the alternate screen, which is about to go. */
  function change(make: (old: TopState) => Step): void {
    try {
      const step = make(state);
      state = step.state;
      draw();
      const { wish } = step;
      if (wish?.kind === 'quit') end(ExitCode.ok);
      else if (wish?.kind === 'interrupt') end(ExitCode.interrupted);
      else if (wish?.kind === 'suspend') terminal.suspend();
      else if (wish?.kind === 'send') void send(wish.request);
    } catch (error) {
      fail(error);
    }
  }

  function tell(error: unknown, told: (why: string, isLate: boolean) => Partial<TopState>): void {
    if (!(error instanceof ControlError)) return fail(error);
    // The error's own message is long, and repeats the address, which is on the screen already.
    const isToken = error.exitCode === ExitCode.unauthorised;
    const why = isToken
      ? `a token is needed, or another one: set ${TOKEN_VARIABLE}`
      : safeText(error.message);
    const isLate = error.exitCode === ExitCode.timedOut;
    change((old) => ({ state: { ...old, ...told(why, isLate) } }));
  }

  function draw(): void {
    const size = terminal.size();
    terminal.write(paint(view(state, size), size.columns, !process.env.NO_COLOR));
  }
}
