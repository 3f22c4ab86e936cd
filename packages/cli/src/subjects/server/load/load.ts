/** Requests as fast as they are answered, over so many connections, by autocannon. What is counted is what is answered while it is measured. */
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Gauges } from '../../../experiment/gauges.js';
import type { LoadSetup, RequestPlan } from '../measure/protocol.js';

/** It is told when it is to end. Seconds. */
const FOR_EVER_S = 86_400;
/** How soon it notices that it is to end. Milliseconds. */
const LOOK_MS = 10;
/** A histogram counts whole numbers: of microseconds. */
const PER_MS = 1000;

interface Counts {
  good: number;
  bad: number;
  sockets: number;
  timeouts: number;
  first: string | undefined;
}

export class Load {
  readonly #instance: autocannon.Instance;
  readonly #ended: Promise<void>;
  readonly #times = createHistogram();
  #counts = newCounts();

  constructor({ origin, requests, connections, timeoutMs }: LoadSetup) {
    let end = (): void => {};
    this.#ended = new Promise((resolve) => {
      end = resolve;
    });
    this.#instance = autocannon(
      {
        url: origin,
        connections,
        requests: requests.map(requestOf),
        duration: FOR_EVER_S,
        timeout: timeoutMs / 1000,
        sampleInt: LOOK_MS,
        skipAggregateResult: true,
      },
      () => end(),
    );
    this.#instance.on('response', (_client, status, _bytes, ms) => this.#answered(status, ms));
    this.#instance.on('reqError', (error: Error) => this.#failed(error));
  }

  /** What happens in the next so many milliseconds. */
  async measure(ms: number) {
    this.#times.reset();
    this.#counts = newCounts();
    const gauges = new Gauges();
    await gauges.begin();
    await sleep(ms);
    const { elapsedMs, cpuMs, loopShare, shared } = await gauges.end();
    const { good, ...counts } = this.#counts;
    return {
      ...counts,
      answers: good + counts.bad,
      /** Answers per second, of 2xx. */
      rate: (good * 1000) / elapsedMs,
      p50Ms: this.#percentile(50),
      p95Ms: this.#percentile(95),
      p99Ms: this.#percentile(99),
      cpuShare: cpuMs / elapsedMs,
      loopShare,
      /** Of everything else on the machine, the app among it, in cores; not a number where it cannot be known. */
      othersShare: shared === undefined ? Number.NaN : shared.othersMs / elapsedMs,
    };
  }

  async stop(): Promise<void> {
    this.#instance.stop();
    await this.#ended;
  }

  #answered(status: number, ms: number): void {
    if (status >= 200 && status < 300) {
      this.#counts.good += 1;
      this.#times.record(Math.max(1, Math.round(ms * PER_MS)));
      return;
    }
    this.#counts.bad += 1;
    this.#counts.first ??= `status ${status}`;
  }

  #failed({ message }: Error): void {
    if (message === 'request timed out') this.#counts.timeouts += 1;
    else this.#counts.sockets += 1;
    this.#counts.first ??= message;
  }

  #percentile(percent: number): number {
    return this.#times.count === 0 ? Number.NaN : this.#times.percentile(percent) / PER_MS;
  }
}

function newCounts(): Counts {
  return { good: 0, bad: 0, sockets: 0, timeouts: 0, first: undefined };
}

function requestOf({ method, path, headers, body }: RequestPlan): autocannon.Request {
  const shared = { method: method as NonNullable<autocannon.Request['method']>, path, headers };
  return body === undefined ? shared : { ...shared, body: Buffer.from(body) };
}
