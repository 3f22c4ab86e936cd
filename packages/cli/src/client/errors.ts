/** What can go wrong between this command and the program that it asks: each kind with its exit code, and words that say what to do next. */

import { isIP } from 'node:net';
import { ExitCode, ExpectedError } from '../exit-code.js';
import { safeText } from '../format/text.js';
import { shown, TOKEN_VARIABLE } from './address.js';

export class ControlError extends ExpectedError {
  override readonly name = 'ControlError';
  override readonly exitCode: number;
  /** The program's own code, where it was the program that refused. */
  readonly answerCode: string | undefined;

  constructor(exitCode: number, message: string, cause?: unknown, answerCode?: string) {
    super(message, { cause });
    this.exitCode = exitCode;
    this.answerCode = answerCode;
  }
}

/** How much of a foreign server's message is shown. Characters. */
const MAX_SHOWN = 300;
const LOST_CODES: readonly string[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNABORTED'];

/** The request did not come through. */
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
  // Not each version of the HTTP client has a code for what cannot be read.
  if (name === 'HTTPParserError' || code.startsWith('ERR_SSL')) {
    return told(`What answers at ${where} does not speak ${address.protocol.slice(0, -1)} (${because}).`);
  }
  if (LOST_CODES.includes(code)) return lostConnection(address, error);
  return told(`${where} cannot be reached (${because}).`);
}

/** The request came through, and the connection broke off. */
export function lostConnection(address: URL, error: unknown): ControlError {
  const text = `The connection to ${shown(address)} was lost (${rootOf(error).because}). Has the program ended?`;
  return new ControlError(ExitCode.unreachable, text, error);
}

export function noAnswer(address: URL, time: string): ControlError {
  return new ControlError(
    ExitCode.timedOut,
    `No answer from ${shown(address)} within ${time}. ` +
      "The program's main thread may be blocked, or its host out of reach.",
  );
}

/** Something answered that is no control server, or a newer one. */
export function notOurs(address: URL, expected: string): ControlError {
  return new ControlError(
    ExitCode.failed,
    `${shown(address)} answers, but not as the control server of a program with threadwise: ${expected}.`,
  );
}

/** An answer with another status than 2xx. */
export function refusal(address: URL, status: number, body: string): ControlError {
  const told = toldBy(body);
  if (status === 401) {
    const why = told?.message ?? 'a token is needed';
    return new ControlError(
      ExitCode.unauthorised,
      `${shown(address)} refuses this without its token (401: ${why}). ` +
        `Set ${TOKEN_VARIABLE} to the token of the program.`,
    );
  }
  // Every error of a control server has a code and a message; others are of somebody else.
  if (told === undefined) return notOurs(address, `it answered ${status}`);
  const exitCode = status < 500 ? ExitCode.refused : ExitCode.failed;
  return new ControlError(exitCode, `${told.message} (${status} ${told.code})`, undefined, told.code);
}

function toldBy(body: string): { code: string; message: string } | undefined {
  try {
    const { code, message } = (JSON.parse(body) as { error: { code: unknown; message: unknown } }).error;
    return { code: safeText(String(code)), message: safeText(String(message)).slice(0, MAX_SHOWN) };
  } catch {
    return undefined;
  }
}

/** The system's error, out of those that fetch wraps around it. */
function rootOf(error: unknown): { name: string; code: string; message: string; because: string } {
  // Both families of addresses were tried: that is an error with several, of one kind as a rule.
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
