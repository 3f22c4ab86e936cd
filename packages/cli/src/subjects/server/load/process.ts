/** The process that sends the requests: neither the command nor the app, so that neither is slowed down by it. */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { createHistogram, performance } from 'node:perf_hooks';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Gauges } from '../../../experiment/gauges.js';
import { serve, type TalkOf } from '../../../experiment/serve.js';
import type { Answer, RequestPlan } from '../measure/answers.js';

/** How many seconds autocannon is told to run: it is stopped earlier. */
const FOR_EVER_S = 86_400;
/** How often autocannon looks whether it was stopped, in milliseconds. */
const LOOK_MS = 10;
/** How many units of the histogram a millisecond has: it counts in whole microseconds. */
const PER_MS = 1000;

const NONE = { good: 0, bad: 0, sockets: 0, timeouts: 0, first: undefined as string | undefined };

interface Target {
  readonly origin: string;
  readonly requests: readonly RequestPlan[];
}

interface LoadSetup extends Target {
  readonly connections: number;
  /** How many milliseconds pass from the first connection until answers count. */
  readonly rampMs: number;
  readonly timeoutMs: number;
}

/** Sends requests as fast as they are answered, over several connections, by autocannon. Only answers during `measure` count. */
class Load {
  readonly #instance: autocannon.Instance;
  readonly #ended: Promise<unknown>;
  readonly #times = createHistogram();
  #counts = { ...NONE };

  constructor({ origin, requests, connections, timeoutMs }: LoadSetup) {
    this.#instance = autocannon(
      {
        url: origin,
        connections,
        requests: requests.map(({ method, body, ...shared }) => ({
          ...shared,
          method: method as NonNullable<autocannon.Request['method']>,
          ...(body !== undefined && { body: Buffer.from(body) }),
        })),
        duration: FOR_EVER_S,
        timeout: timeoutMs / 1000,
        sampleInt: LOOK_MS,
        skipAggregateResult: true,
      },
      // The callback keeps autocannon from returning a promise, which nobody would await.
      () => {},
    );
    this.#ended = once(this.#instance, 'done');
    this.#instance.on('response', (_client, status, _bytes, ms) => {
      const isGood = status >= 200 && status < 300;
      if (isGood) this.#times.record(Math.max(1, Math.round(ms * PER_MS)));
      this.#count(isGood ? 'good' : 'bad', isGood ? undefined : `status ${status}`);
    });
    this.#instance.on('reqError', ({ message }: Error) => {
      this.#count(message === 'request timed out' ? 'timeouts' : 'sockets', message);
    });
  }

  /** Counts and measures for `ms` milliseconds. */
  async measure(ms: number) {
    this.#times.reset();
    this.#counts = { ...NONE };
    const gauges = new Gauges();
    await gauges.begin();
    await sleep(ms);
    const { elapsedMs, cpuMs, loopShare, shared } = await gauges.end();
    const { good, ...counts } = this.#counts;
    return {
      ...counts,
      answers: good + counts.bad,
      /** Answers with a status of 2xx, per second. */
      rate: (good * 1000) / elapsedMs,
      p50Ms: this.#percentile(50),
      p95Ms: this.#percentile(95),
      p99Ms: this.#percentile(99),
      loadShare: cpuMs / elapsedMs,
      loadLoopShare: loopShare,
      /** CPU time of everything else on the machine, the app included, in cores; not a number where it cannot be known. */
      othersShare: shared === undefined ? Number.NaN : shared.othersMs / elapsedMs,
    };
  }

  async stop(): Promise<void> {
    this.#instance.stop();
    await this.#ended;
  }

  /** @param failure what was wrong with the answer */
  #count(what: 'good' | 'bad' | 'sockets' | 'timeouts', failure: string | undefined): void {
    this.#counts[what] += 1;
    this.#counts.first ??= failure;
  }

  #percentile(percent: number): number {
    return this.#times.count === 0 ? Number.NaN : this.#times.percentile(percent) / PER_MS;
  }
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

async function answerTo(origin: string, plan: RequestPlan, limitMs: number): Promise<Answer> {
  try {
    return await send(origin, plan, AbortSignal.timeout(limitMs));
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'AbortError';
    const why = error instanceof Error && error.message !== '' ? error.message : String(error);
    const failed = isLate ? `does not answer within ${limitMs / 1000} s` : `fails: ${why}`;
    return { status: 0, type: '', location: '', closes: false, body: new Uint8Array(), failed, ms: limitMs };
  }
}

function send(origin: string, { method, path, body, headers }: RequestPlan, signal: AbortSignal) {
  const begin = performance.now();
  return new Promise<Answer>((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': body.byteLength };
    const { request } = origin.startsWith('https:') ? https : http;
    // Any certificate is accepted: it is the user's own app, on this machine.
    const options = { method, path, headers: { ...headers, ...length }, signal, rejectUnauthorized: false };
    const sent = request(origin, options, (response) => {
      const { statusCode: status = 0, headers: got } = response;
      const { 'content-type': type = '', location = '', connection } = got;
      const closes = connection === 'close';
      buffer(response).then((bytes) => {
        const ms = performance.now() - begin;
        resolve({ status, type, location, closes, body: new Uint8Array(bytes), failed: undefined, ms });
      }, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

let load: Load | undefined;

const handlers = {
  /** Sends each request once, one after the other. */
  ask,
  start: async (setup: LoadSetup) => {
    load = new Load(setup);
    await sleep(setup.rampMs);
  },
  /** Measures the load that was started for `ms` milliseconds. */
  measure: (ms: number) => load!.measure(ms),
  stop: async () => {
    await load?.stop();
    load = undefined;
  },
};

export type LoadTalk = TalkOf<typeof handlers>;

serve(handlers);
