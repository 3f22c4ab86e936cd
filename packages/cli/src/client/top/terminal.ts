/**
 * The terminal while `top` has it: another screen, no cursor, keys one by one. Whatever ends the process,
 * short of SIGKILL, gives it back as it was.
 */

import type { EventEmitter } from 'node:events';
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
    // For errors that nobody catches: nothing asynchronous happens any more then.
    [process, 'exit', leave],
  ];
  emitKeypressEvents(stdin);
  for (const [emitter, event, listener] of listeners) emitter.on(event, listener);
  enter();
  stdin.resume();
  return {
    size: (): Size => ({ columns: stdout.columns || USUAL.columns, rows: stdout.rows || USUAL.rows }),
    write: (frame: string): void => void (isEntered && stdout.write(frame)),
    /** Ctrl-Z: the shell gets a terminal as it knows it, until it lets this process go on. */
    suspend(): void {
      leave();
      process.kill(process.pid, 'SIGTSTP');
      // Without job control nothing stops, and no SIGCONT will come.
      setImmediate(goOn);
    },
    close(): void {
      leave();
      for (const [emitter, event, listener] of listeners) emitter.off(event, listener);
      stdin.pause();
    },
  };

  function goOn(): void {
    // A shell has set the modes meanwhile, of which Node.js knows nothing: off and on sets them again.
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
