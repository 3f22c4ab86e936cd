/** Talks to the server that this page came from, and to no other. */
import { askForToken, currentToken } from './token.js';

/** A process that answers at all answers sooner; one whose event loop is blocked does not. Chosen, not measured. */
const ANSWER_TIMEOUT_MS = 8000;
/** The server sends statistics each second: after this long without any, something is wrong. Chosen, not measured. */
const SILENCE_MS = 6000;
const BLOCKED = 'the process may be stopped, or its event loop blocked.';

/** What the server said, or why it said nothing. `status` 0: there was no answer. */
export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
  }
}

/** Half a surrogate pair cannot be in an address: the server will say that it knows no such pool. */
export const poolPath = (name, rest = '') => `api/pools/${encodeURIComponent(name.toWellFormed())}${rest}`;

/** The answer's JSON. Rejects with an ApiError. */
export function requestJson(path, { method = 'GET', body, signal } = {}) {
  const ask = async (token, quiet) => {
    const response = await send(path, { method, body, token, signal: quiet.joined(signal) });
    return response.json();
  };
  const unknown = method === 'GET' ? '' : ' It is not known whether the change was made.';
  return watched(ask, 'ERR_NO_ANSWER', `No answer for ${ANSWER_TIMEOUT_MS / 1000} s: ${BLOCKED}${unknown}`);
}

/**
 * Follows a stream of events until it ends, which it never should: always rejects. `onEvent(name, value)` gets the
 * parsed data.
 */
export function followEvents(path, onEvent, signal) {
  const follow = async (token, quiet) => {
    const accept = 'text/event-stream';
    const response = await send(path, { method: 'GET', accept, token, signal: quiet.joined(signal) });
    await readAll(response, onEvent, () => quiet.reset(SILENCE_MS));
    throw new ApiError(0, 'ERR_STREAM_ENDED', 'The server ended the stream.');
  };
  return watched(follow, 'ERR_SILENT', `Nothing has come for ${SILENCE_MS / 1000} s: ${BLOCKED}`);
}

/** Ends an attempt that hears nothing for too long: rejects with this code and message then, and always with an ApiError. */
function watched(attempt, code, message) {
  return withToken(async (token) => {
    const quiet = watchdog(ANSWER_TIMEOUT_MS);
    try {
      return await attempt(token, quiet);
    } catch (error) {
      throw explained(error, quiet.own.aborted ? new ApiError(0, code, message) : undefined);
    } finally {
      quiet.end();
    }
  });
}

/** Aborts what it watches when nothing has reset it for long enough. */
function watchdog(ms) {
  const controller = new AbortController();
  const own = controller.signal;
  let timer;
  const reset = (next) => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(), next);
  };
  reset(ms);
  const joined = (signal) => (signal === undefined ? own : AbortSignal.any([own, signal]));
  return { own, reset, joined, end: () => clearTimeout(timer) };
}

/** Asks for the token where the server wants one, or another one, and tries again with it. */
async function withToken(attempt) {
  for (;;) {
    const token = currentToken();
    try {
      return await attempt(token);
    } catch (error) {
      if (error.status !== 401) throw error;
      // Another request may have got a token meanwhile: then this one only has to use it.
      if (currentToken() !== token) continue;
      if (!(await askForToken(token === undefined ? undefined : error.message))) throw error;
    }
  }
}

/** A response that is not an error. */
async function send(path, { method, body, token, signal, accept = 'application/json' }) {
  // fetch would refuse it as if there were no server.
  if (/[^!-~]/.test(token ?? '')) {
    throw new ApiError(
      401,
      'ERR_CONTROL_TOKEN',
      'A token has only visible ASCII characters; this one has others',
    );
  }
  const response = await fetch(new URL(path, document.baseURI), {
    method,
    signal,
    cache: 'no-store',
    redirect: 'error',
    headers: {
      accept,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

async function errorOf(response) {
  const { status } = response;
  try {
    const { code, message } = (await response.json()).error;
    return new ApiError(status, String(code), String(message));
  } catch {
    return new ApiError(status, `HTTP ${status}`, `The server answered ${status} and did not say why.`);
  }
}

/** `EventSource` is not used: it cannot send the header with the token. */
async function readAll(response, onEvent, heard) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    heard();
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = events.pop();
    for (const event of events) handle(onEvent, event);
  }
}

/**
 * The server of this page writes each event as two lines, `event: …` and `data: …`. A mistake of this page's own goes to the console;
 * the stream is not to blame and goes on.
 */
function handle(onEvent, event) {
  try {
    const [name, data] = event.split('\n').map((line) => line.slice(line.indexOf(': ') + 2));
    onEvent(name, JSON.parse(data));
  } catch (error) {
    reportError(error);
  }
}

function explained(error, bark) {
  if (error instanceof ApiError) return error;
  if (bark !== undefined) return bark;
  if (error instanceof SyntaxError)
    return new ApiError(0, 'ERR_NO_JSON', 'The answer of the server is not JSON.');
  const text = 'The server cannot be reached: the process may have ended.';
  return new ApiError(0, 'ERR_UNREACHABLE', text);
}
