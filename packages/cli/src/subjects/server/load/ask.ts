/** Single requests, to see what the app answers before it is put under load. Redirects are not followed: they may lead elsewhere. */
import http from 'node:http';
import https from 'node:https';
import { performance } from 'node:perf_hooks';
import { buffer } from 'node:stream/consumers';
import type { Answer, AskSetup, RequestPlan } from '../measure/protocol.js';

export async function ask({ origin, requests, limitMs }: AskSetup): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const request of requests) {
    const before = answers.at(-1);
    // One that had none in time is reason enough not to wait for others.
    const isOver = before !== undefined && before.failed !== undefined;
    answers.push(isOver ? before : await answerTo(origin, request, limitMs));
  }
  return answers;
}

async function answerTo(origin: string, plan: RequestPlan, limitMs: number): Promise<Answer> {
  const begin = performance.now();
  try {
    return await send(origin, plan, AbortSignal.timeout(limitMs), begin);
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'AbortError';
    const why = error instanceof Error && error.message !== '' ? error.message : String(error);
    const failed = isLate ? `does not answer within ${limitMs / 1000} s` : `fails: ${why}`;
    return { status: 0, type: '', location: '', closes: false, body: new Uint8Array(), failed, ms: limitMs };
  }
}

function send(origin: string, plan: RequestPlan, signal: AbortSignal, begin: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port, protocol } = new URL(origin);
    const { method, path, body, headers } = plan;
    const length = body === undefined ? {} : { 'Content-Length': body.byteLength };
    // Signed by whom does not matter: it is the user's own app, on this machine.
    const options = {
      hostname,
      port,
      method,
      path,
      headers: { ...headers, ...length },
      signal,
      rejectUnauthorized: false,
    };
    const request = protocol === 'https:' ? https.request(options) : http.request(options);
    request.on('error', reject);
    request.on('response', (response) => {
      response.on('error', reject);
      const { statusCode = 0, headers: got } = response;
      buffer(response).then(
        (bytes) =>
          resolve({
            status: statusCode,
            type: got['content-type'] ?? '',
            location: got.location ?? '',
            closes: got.connection === 'close',
            body: new Uint8Array(bytes),
            failed: undefined,
            ms: performance.now() - begin,
          }),
        reject,
      );
    });
    request.end(body);
  });
}
