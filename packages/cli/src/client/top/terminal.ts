/**
 * The terminal while `top` uses it: the alternate screen, no cursor, keys one by one. Whatever ends the process, except SIGKILL,
 * restores it as it was.
 */

import type { EventEmitter } from 'node:events';
import { writeSync } from 'node:fs';
import { emitKeypressEvents, type Key as KeyPress } from 'node:readline';
import { type EndSignal, endSignals } from '../../interrupts.js';
import type { Size } from './view.js';

/** DEC private modes: the alternate screen, the cursor, line wrapping. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l';
/** Clears the screen first: after a resize, tmux would leave a rest of it on the main screen. */
const LEAVE = '\x1b[0m\x1b[H\x1b[2J\x1b[?7h\x1b[?25h\x1b[?1049l';
/** The size of terminals that report none or 0, such as that of a serial line. */
const USUAL: Size = { columns: 80, rows: 24 };

const { stdin, stdout } = process;

interface TerminalEvents {
  key(press: KeyPress): void;
  /** Called when the screen must be drawn anew. */
  redraw(): void;
  ended(signal: EndSignal): void;
}

/** Takes over standard input and output, which must both be terminals. */
export function openTerminal({ key, redraw, ended }: TerminalEvents) {
  let isEntered = false;
  const gone = (): void => ended('SIGHUP');
  const listeners: readonly (readonly [EventEmitter, ...Parameters<EventEmitter['on']>])[] = [
    [stdin, 'keypress', (_text: string | undefined, press: KeyPress) => key(press)],
    [stdin, 'end', gone],
    [stdin, 'error', gone],
    [stdout, 'resize', redraw],
    ...endSignals.map((signal) => [process, signal, ended] as const),
    [process, 'SIGCONT', goOn],
    // After an uncaught error only this event comes, and nothing asynchronous runs any more.
    [process, 'exit', leave],
  ];
  emitKeypressEvents(stdin);
  for (const [emitter, event, listener] of listeners) emitter.on(event, listener);
  enter();
  stdin.resume();
  return {
    size: (): Size => ({ columns: stdout.columns || USUAL.columns, rows: stdout.rows || USUAL.rows }),
    write: (frame: string): void => void (isEntered && stdout.write(frame)),
    /** Handles Ctrl-Z: restores the terminal for the shell, until that continues this process. */
    suspend(): void {
      leave();
      process.kill(process.pid, 'SIGTSTP');
      // Without job control the process does not stop, and gets no SIGCONT.
      setImmediate(goOn);
    },
    close(): void {
      leave();
      for (const [emitter, event, listener] of listeners) emitter.off(event, listener);
      stdin.pause();
    },
  };

  function goOn(): void {
    // The shell may have changed the modes, of which Node.js knows nothing: turning raw mode off and on sets them again.
    if (isEntered) stdin.setRawMode(false);
    enter();
    redraw();
  }

  function enter(): void {
    isEntered = true;
    stdin.setRawMode(true);
    stdout.write(ENTER);
  }

  function leave(): void {
    if (!isEntered) return;
    isEntered = false;
    try {
      stdin.setRawMode(false);
      writeSync(stdout.fd, LEAVE);
    } catch {
      // The terminal is gone: there is nothing to give back.
    }
  }
}
