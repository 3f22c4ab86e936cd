/** The errors between this command and the program that it asks: each has its exit code, and says what to do next. */

import { isIP } from 'node:net';
import { ExitCode, ExpectedError } from '../exit-code.js';
import { beginningOf } from '../format/cut.js';
import { safeText } from '../format/text.js';
import { shown, TOKEN_VARIABLE } from './address.js';

export class ControlError extends ExpectedError {
  /** The error code in the program's answer; undefined: it gave no such answer. */
  readonly answerCode: string | undefined;

  constructor(exitCode: number, message: string, cause?: unknown, answerCode?: string) {
    super(message, exitCode, { cause });
    this.answerCode = answerCode;
  }
}

/** How many characters of a server's message are shown. */
const MAX_SHOWN = 300;
const LOST_CODES: readonly string[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNABORTED'];

export function unreachable(address: URL, error: unknown): ControlError {
  const { name, code, message, because } = rootOf(error);
  const where = shown(address);
  const told = (text: string): ControlError => new ControlError(ExitCode.unreachable, text, error);
  if (code === 'ECONNREFUSED') return told(`Nothing answers at ${where} (${code}). ${hintFor(address)}`);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return told(`The host ${address.hostname} of ${where} was not found (${code}).`);
  }
  if (message === 'bad port') {
    return told(`Port ${address.port} of ${where} is one that HTTP clients refuse to use. Take another one.`);
  }
  // Some versions of the HTTP client give a parser error a name, but no code.
  if (name === 'HTTPParserError' || code.startsWith('ERR_SSL')) {
    return told(`What answers at ${where} does not speak ${address.protocol.slice(0, -1)} (${because}).`);
  }
  if (LOST_CODES.includes(code)) return lostConnection(address, error);
  return told(`${where} cannot be reached (${because}).`);
}

/** The error if a connection broke off after it had been made. */
export function lostConnection(address: URL, error: unknown): ControlError {
  const text = `The connection to ${shown(address)} was lost (${rootOf(error).because}). Has the program ended?`;
  return new ControlError(ExitCode.unreachable, text, error);
}

export function noAnswer(address: URL, time: string): ControlError {
  const why = "The program's main thread may be blocked, or its host out of reach.";
  return new ControlError(ExitCode.timedOut, `No answer from ${shown(address)} within ${time}. ${why}`);
}

/** The error if what answered is no control server, or a newer one. */
export function notOurs(address: URL, expected: string): ControlError {
  const told = `${shown(address)} answers, but not as the control server of a program with threadwise`;
  return new ControlError(ExitCode.failed, `${told}: ${expected}.`);
}

/** The error for an answer whose status is not 2xx. */
export function refusal(address: URL, status: number, body: string): ControlError {
  const told = toldBy(body);
  if (status === 401) {
    const refused = `${shown(address)} refuses this without its token (401: ${told?.message ?? 'a token is needed'})`;
    const remedy = `Set ${TOKEN_VARIABLE} to the token of the program.`;
    return new ControlError(ExitCode.unauthorised, `${refused}. ${remedy}`);
  }
  // Every error of a control server has a code and a message; an answer without them comes from another server.
  if (told === undefined) return notOurs(address, `it answered ${status}`);
  const exitCode = status < 500 ? ExitCode.refused : ExitCode.failed;
  return new ControlError(exitCode, `${told.message} (${status} ${told.code})`, undefined, told.code);
}

function toldBy(body: string): { code: string; message: string } | undefined {
  try {
    const { code, message } = (JSON.parse(body) as { error: { code: unknown; message: unknown } }).error;
    if (typeof code !== 'string' || typeof message !== 'string') return undefined;
    return { code: safeText(code), message: beginningOf(safeText(message), MAX_SHOWN) };
  } catch {
    return undefined;
  }
}

/** Unwraps the system's error from those that fetch puts around it. */
function rootOf(error: unknown): { name: string; code: string; message: string; because: string } {
  // If IPv4 and IPv6 were both tried, the error holds one for each, usually of the same kind.
  const inner: unknown =
    error instanceof AggregateError ? error.errors[0] : error instanceof Error && error.cause;
  if (inner instanceof Error) return rootOf(inner);
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { name, code, message, because: code === '' ? safeText(message) : code };
}

function hintFor({ hostname, port, protocol }: URL): string {
  const isLoopback =
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
  if (!isLoopback) return 'Is the program running, and does it listen on more than its loopback interface?';
  return `Is the program running with THREADWISE_CONTROL=${port || (protocol === 'https:' ? 443 : 80)}?`;
}
