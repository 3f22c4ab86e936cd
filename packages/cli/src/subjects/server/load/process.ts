/** The process that sends the requests: neither the command nor the app, so that neither is slowed down by it. */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { createHistogram, performance } from 'node:perf_hooks';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { coresOfOthers, watchProcess } from '../../../experiment/gauges.js';
import { serve, type TalkOf } from '../../../experiment/serve.js';
import { type Answer, type RequestPlan, shortened } from '../measure/answers.js';

const PER_MS = 1000; // how many units of the histogram a millisecond has: it counts in whole microseconds

const NONE = { good: 0, bad: 0, sockets: 0, timeouts: 0, first: undefined as string | undefined };

interface Target {
  readonly origin: string;
  readonly requests: readonly RequestPlan[];
}

interface LoadSetup extends Target {
  readonly connections: number;
  /** How many milliseconds pass from the first connection until answers count, and for how many they do. */
  readonly rampMs: number;
  readonly ms: number;
  readonly timeoutMs: number;
}

/** Makes a client of autocannon drop what it would decode and keep, though nobody reads it: of 20 MiB, it then takes six times as many answers. */
export function keepNoBody(client: autocannon.Client): void {
  (client as unknown as { pipelinedRequests: { addBody: () => void } }).pipelinedRequests.addBody = () => {};
}

/** Sends requests as fast as they are answered, over several connections, by autocannon. */
async function step({ origin, requests, connections, rampMs, ms, timeoutMs }: LoadSetup) {
  const times = createHistogram();
  let counts = { ...NONE };
  const count = (what: 'good' | 'bad' | 'sockets' | 'timeouts', failure?: string): void => {
    counts[what] += 1;
    counts.first ??= failure;
  };
  const instance = autocannon(
    {
      url: origin,
      connections,
      requests: requests.map(({ method, body, ...shared }) => ({
        ...shared,
        method: method as NonNullable<autocannon.Request['method']>,
        ...(body !== undefined && { body: Buffer.from(body) }),
      })),
      duration: 86_400, // in seconds: it is stopped earlier
      timeout: timeoutMs / 1000,
      sampleInt: 10, // how often it looks whether it was stopped, in milliseconds
      skipAggregateResult: true,
      setupClient: keepNoBody,
    },
    // The callback keeps autocannon from returning a promise, which nobody would await.
    () => {},
  );
  const ended = once(instance, 'done');
  instance.on('response', (_client, status, _bytes, took) => {
    if (status < 200 || status >= 300) return count('bad', `status ${status}`);
    times.record(Math.max(1, Math.round(took * PER_MS)));
    count('good');
  });
  instance.on('reqError', ({ message }: Error) => {
    count(message === 'request timed out' ? 'timeouts' : 'sockets', message);
  });
  await sleep(rampMs);
  times.reset();
  counts = { ...NONE };
  const end = await watchProcess();
  await sleep(ms);
  const { elapsedMs, cpuShare, loopShare, shared } = await end();
  const { good, ...bad } = counts;
  const percentile = (of: number): number => (times.count === 0 ? Number.NaN : times.percentile(of) / PER_MS);
  const measured = {
    ...bad,
    answers: good + bad.bad,
    rate: (good * 1000) / elapsedMs,
    p50Ms: percentile(50),
    p95Ms: percentile(95),
    p99Ms: percentile(99),
    loadShare: cpuShare,
    loadLoopShare: loopShare,
    /** How many cores other programs used meanwhile, the measured server among them; NaN where the system does not tell. */
    othersShare: coresOfOthers(shared),
  };
  instance.stop();
  await ended;
  return measured;
}

/** Single requests, to see what the app answers before it is put under load. Redirects are not followed: they may lead elsewhere. */
async function ask({ origin, requests, limitMs }: Target & { readonly limitMs: number }) {
  const answers: Answer[] = [];
  for (const request of requests) {
    const before = answers.at(-1);
    // After a request without an answer, the others are not sent: each could take as long.
    answers.push(before?.failed === undefined ? await answerTo(origin, request, limitMs) : before);
  }
  return answers;
}

/** Why autocannon would not count the answer as one. @param early the status of an informational answer before it */
function whyNotCounted({ statusCode = 0, headers }: http.IncomingMessage, early: number | undefined) {
  const leave = 'leave that out for the measurement';
  if (early !== undefined)
    return `sends status ${early} before its answer, which the load generator would take for the answer: ${leave}`;
  const hasEnd = 'content-length' in headers || 'transfer-encoding' in headers;
  // A 204 has no body, and what is no 2xx is a complaint already.
  if (hasEnd || statusCode === 204 || statusCode >= 300) return undefined;
  return 'ends its answer by closing the connection, which the load generator would not take for its end: send a Content-Length for the measurement';
}

async function answerTo(origin: string, plan: RequestPlan, limitMs: number): Promise<Answer> {
  const { method, path, body, headers } = plan;
  const { request } = origin.startsWith('https:') ? https : http;
  const length = body === undefined ? {} : { 'Content-Length': body.byteLength };
  const signal = AbortSignal.timeout(limitMs);
  const begin = performance.now();
  try {
    // Any certificate is accepted: it is the user's own app, on this machine.
    const options = { method, path, headers: { ...headers, ...length }, signal, rejectUnauthorized: false };
    const sent = request(origin, options).end(body);
    // `once` takes the first error, and none after the response: what fails then, the response tells as well.
    sent.on('error', () => {});
    let early: number | undefined;
    sent.on('information', ({ statusCode }) => (early ??= statusCode));
    const [response] = (await once(sent, 'response')) as [http.IncomingMessage];
    const { statusCode: status = 0, headers: got } = response;
    const { 'content-type': type = '', location = '', connection } = got;
    const whole = await buffer(response);
    const ms = performance.now() - begin;
    const closes = connection === 'close';
    const failed = whyNotCounted(response, early);
    return { status, type, location, closes, body: shortened(whole), failed, ms };
  } catch (error) {
    const message = (error instanceof Error && error.message) || String(error);
    const why = message === 'aborted' ? 'it closed the connection in the middle of the answer' : message;
    const failed = signal.aborted ? `does not answer within ${limitMs / 1000} s` : `fails: ${why}`;
    return { status: 0, type: '', location: '', closes: false, body: new Uint8Array(), failed, ms: limitMs };
  }
}

const handlers = { ask, step };

export type LoadTalk = TalkOf<typeof handlers>;

serve(handlers);
