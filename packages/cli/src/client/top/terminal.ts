/**
 * The terminal while `top` has it: another screen, no cursor, keys one by one. Whatever ends the process,
 * short of SIGKILL, gives it back as it was.
 */

import { writeSync } from 'node:fs';
import { emitKeypressEvents, type Key as KeyPress } from 'node:readline';
import { type EndSignal, endSignals } from '../../exit-code.js';
import type { Size } from './view.js';

/** DEC private modes: the other screen, the cursor, breaking long lines. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l';
/** Clears the screen first: where a resize has left the two screens of different size, a rest of it would stay in tmux. */
const LEAVE = '\x1b[0m\x1b[H\x1b[2J\x1b[?7h\x1b[?25h\x1b[?1049l';
/** Some terminals, such as that of a serial line, say nothing or zero. */
const USUAL: Size = { columns: 80, rows: 24 };

const { stdin, stdout } = process;

interface TerminalEvents {
  key(press: KeyPress): void;
  /** It must be drawn anew. */
  redraw(): void;
  ended(signal: EndSignal): void;
}

/** Standard input and output, where both are terminals. */
export class Terminal {
  readonly #events: TerminalEvents;
  #isEntered = false;

  constructor(events: TerminalEvents) {
    this.#events = events;
  }

  get size(): Size {
    return { columns: stdout.columns || USUAL.columns, rows: stdout.rows || USUAL.rows };
  }

  open(): void {
    emitKeypressEvents(stdin);
    stdin.on('keypress', this.#onKeyPress).on('end', this.#onGone).on('error', this.#onGone);
    stdout.on('resize', this.#events.redraw);
    for (const signal of endSignals) process.on(signal, this.#events.ended);
    process.on('SIGCONT', this.#onContinue);
    // For errors that nobody catches: nothing asynchronous happens any more then.
    process.on('exit', this.#leave);
    this.#enter();
    stdin.resume();
  }

  close(): void {
    this.#leave();
    stdin.off('keypress', this.#onKeyPress).off('end', this.#onGone).off('error', this.#onGone);
    stdin.pause();
    stdout.off('resize', this.#events.redraw);
    for (const signal of endSignals) process.off(signal, this.#events.ended);
    process.off('SIGCONT', this.#onContinue);
    process.off('exit', this.#leave);
  }

  write(frame: string): void {
    if (this.#isEntered) stdout.write(frame);
  }

  /** Ctrl-Z: the shell gets a terminal as it knows it, until it lets this process go on. */
  suspend(): void {
    this.#leave();
    process.kill(process.pid, 'SIGTSTP');
    // Without job control nothing stops, and no SIGCONT will come.
    setImmediate(this.#onContinue);
  }

  readonly #onKeyPress = (_text: string | undefined, press: KeyPress): void => this.#events.key(press);
  readonly #onGone = (): void => this.#events.ended('SIGHUP');

  readonly #onContinue = (): void => {
    // A shell has set the modes meanwhile, of which Node.js knows nothing: off and on sets them again.
    if (this.#isEntered) stdin.setRawMode(false);
    this.#enter();
    this.#events.redraw();
  };

  #enter(): void {
    this.#isEntered = true;
    stdin.setRawMode(true);
    stdout.write(ENTER);
  }

  readonly #leave = (): void => {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    try {
      stdin.setRawMode(false);
      writeSync(stdout.fd, LEAVE);
    } catch {
      // The terminal is gone: there is nothing to give back.
    }
  };
}
