/** What a failed request means, in words that say what to do next. */

import { isIP } from 'node:net';
import { shown } from './address.js';
import { ControlError, type ControlErrorCode } from './control-error.js';
import { safeText } from './text.js';

/** What a foreign server says is shown as far as this. In characters. */
const MAX_SHOWN = 300;

export const TOKEN_VARIABLE = 'THREADWISE_CONTROL_TOKEN';

/** The request did not come through. */
export function unreachable(address: URL, error: unknown): ControlError {
  const { name, code, message } = rootOf(error);
  const where = shown(address);
  const because = code === '' ? safeText(message) : code;
  const told = (text: string): ControlError => new ControlError('ERR_UNREACHABLE', text, { cause: error });
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
  if (lostCodes.has(code)) return lostConnection(address, error);
  return told(`${where} cannot be reached (${because}).`);
}

const lostCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNABORTED']);

/** It came through and broke off. */
export function lostConnection(address: URL, error: unknown): ControlError {
  const { code, message } = rootOf(error);
  const because = code === '' ? safeText(message) : code;
  return new ControlError(
    'ERR_UNREACHABLE',
    `The connection to ${shown(address)} was lost (${because}). Has the program ended?`,
    { cause: error },
  );
}

export function noAnswer(address: URL, time: string): ControlError {
  return new ControlError(
    'ERR_TIMEOUT',
    `No answer from ${shown(address)} within ${time}. ` +
      "The program's main thread may be blocked, or its host out of reach.",
  );
}

/** What was followed has not come to its end. */
export function timeIsOver(time: string): ControlError {
  return new ControlError('ERR_TIMEOUT', `It did not end within ${time}.`);
}

/** Something answered that is no control server, or a newer one. */
export function notOurs(address: URL, expected: string): ControlError {
  return new ControlError(
    'ERR_ANSWER',
    `${shown(address)} answers, but not as the control server of a program with threadwise: ${expected}.`,
  );
}

/** An answer with another status than 2xx. */
export function refusal(address: URL, status: number, body: string): ControlError {
  const told = toldBy(body);
  if (status === 401) {
    const why = told?.message ?? 'a token is needed';
    return new ControlError(
      'ERR_UNAUTHORISED',
      `${shown(address)} wants another token, or one at all (401: ${why}). ` +
        `Set ${TOKEN_VARIABLE} to the token of the program.`,
    );
  }
  // Every error of a control server has a code and a message; others are of somebody else.
  if (told === undefined) return notOurs(address, `it answered ${status}`);
  const code: ControlErrorCode = status < 500 ? 'ERR_REFUSED' : 'ERR_ANSWER';
  return new ControlError(code, `${told.message} (${status} ${told.code})`, { answerCode: told.code });
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
function rootOf(error: unknown): { name: string; code: string; message: string } {
  let at = error;
  for (;;) {
    if (!(at instanceof Error)) return { name: '', code: '', message: String(at) };
    // Both families of addresses were tried: that is an error with several, of one kind as a rule.
    const inner: unknown = at instanceof AggregateError ? at.errors[0] : at.cause;
    if (!(inner instanceof Error)) return { name: at.name, code: codeOf(at), message: at.message };
    at = inner;
  }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function hintFor({ hostname, port, protocol }: URL): string {
  const isLoopback =
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
  if (!isLoopback) return 'Is the program running, and does it listen on more than its loopback interface?';
  return `Is the program running with THREADWISE_CONTROL=${port || (protocol === 'https:' ? 443 : 80)}?`;
}
