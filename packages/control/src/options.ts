/** Resolves the options of `serveControl`: fills in defaults, and rejects wrong values. */
import { isLoopback } from './addresses.js';
import type { ControllablePool } from './controllable-pool.js';
import { ControlError, show } from './errors.js';
import type { ObservableFleet } from './fleets.js';
import { randomToken } from './token.js';

export interface ControlOptions {
  /** The address or host name to listen on. Default '127.0.0.1'. An address that other machines can reach needs a token. */
  readonly host?: string | undefined;
  /** A port from 0 to 65,535. Default 0: any free port. */
  readonly port?: number | undefined;
  /** What a client must send to change anything, and to read if other machines can reach the server. Default: a random token. */
  readonly token?: string | undefined;
  /** Further values of the Host header to accept, such as a proxy's name: 'control.example.com', 'box:8080'. Default: none. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** How many milliseconds of the past are kept, up to an hour; the dashboard's charts show ten minutes. Default 600,000; 0 keeps no history. */
  readonly historyMs?: number | undefined;
  /** Fleets of `@threadwise/bullmq` to show beside the pools: an array or a set, which may change. Default: none. */
  readonly fleets?: Iterable<ObservableFleet> | undefined;
}

const MAX_PORT = 65_535;
/** One hour, so that the history needs little memory. */
const MAX_HISTORY_MS = 3_600_000;

/** The check of each option, with its default. */
const CHECKS = {
  host: (value: unknown = '127.0.0.1') => text('host', value, 'an address or a host name', /^[^\s/[\]]+$/),
  port: (value: unknown = 0) => portNumber('port', value),
  token: (value: unknown = randomToken()) =>
    text('token', value, 'printable ASCII characters without spaces', /^[!-~]+$/, hidden),
  allowedHosts: (value: unknown = []) => hostList(value),
  historyMs: (value: unknown = 600_000) => wholeNumber('historyMs', value, MAX_HISTORY_MS),
  fleets: (value: unknown = []) => iterable('fleets', value, isFleet),
} satisfies { [K in keyof ControlOptions]-?: (value: unknown) => ControlOptions[K] };

export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** Throws ERR_CONTROL_OPTION or ERR_CONTROL_TOKEN_REQUIRED. */
export function resolveOptions(given: unknown) {
  const options = record(given ?? {});
  const host = CHECKS.host(options.host);
  /** Only this machine can reach the server, so reading needs no token. */
  const isLocal = isLoopback(host);
  if (!isLocal && options.token === undefined) {
    const message =
      `Option 'host': others can reach ${show(host)}, so a token is needed. Give 'token' (THREADWISE_CONTROL_TOKEN), ` +
      "or listen on '127.0.0.1'";
    throw new ControlError('ERR_CONTROL_TOKEN_REQUIRED', message);
  }
  const all = Object.entries(CHECKS).map(([name, check]) => [
    name,
    check(options[name as keyof ControlOptions]),
  ]);
  return {
    ...(Object.fromEntries(all) as { [K in keyof typeof CHECKS]: ReturnType<(typeof CHECKS)[K]> }),
    isLocal,
  };
}

/** Throws ERR_CONTROL_OPTION. */
export function checkPools(pools: unknown): Iterable<ControllablePool> {
  return iterable('pools', pools, isPool);
}

/** Checks the items that are there by now, so that a mistake is told here, and not by each answer. */
function iterable<T>(option: string, value: unknown, isOne: (item: unknown) => item is T): Iterable<T> {
  const expected = `an array or a set of ${option}`;
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value))
    return reject(option, expected, show(value));
  // An iterator, such as that of `map.values()`, is empty after the first request.
  if ('next' in value) return reject(option, expected, 'an iterator, which can be read only once');
  for (const item of value as Iterable<unknown>)
    if (!isOne(item)) return reject(option, expected, `${show(item)} in it`);
  return value as Iterable<T>;
}

function isPool(item: unknown): item is ControllablePool {
  const { stats, name } = Object(item) as Partial<ControllablePool>;
  return typeof stats === 'function' && typeof name === 'string';
}

function isFleet(item: unknown): item is ObservableFleet {
  const { stats, queue } = Object(item) as Partial<ObservableFleet>;
  return typeof stats === 'function' && typeof queue?.name === 'string';
}

export function portNumber(option: string, value: unknown): number {
  return wholeNumber(option, value, MAX_PORT);
}

function wholeNumber(option: string, value: unknown, most: number): number {
  const isOne = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
  return isOne ? value : reject(option, `a whole number from 0 to ${most}`, show(value));
}

function record(given: unknown): { [K in keyof ControlOptions]: unknown } {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return reject('options', 'an object', show(given));
  }
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(CHECKS, key));
  if (unknown === undefined) return given;
  throw new ControlError(
    'ERR_CONTROL_OPTION',
    `Unknown option '${unknown}'. Known: ${Object.keys(CHECKS).join(', ')}`,
  );
}

function text(option: string, value: unknown, expected: string, pattern: RegExp, shown = show): string {
  return typeof value === 'string' && pattern.test(value) ? value : reject(option, expected, shown(value));
}

function hostList(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return reject('allowedHosts', 'an array of hosts', show(value));
  const expected = "a host, with its port if there is one: 'box:8080'";
  return value.map((each) => text('allowedHosts', each, expected, /^[^\s/@]+$/).toLowerCase());
}

/** Hides a wrong token: it may be the right one with a stray space, and must not get into logs. */
function hidden(value: unknown): string {
  return typeof value === 'string' ? `a string of ${value.length} characters` : show(value);
}

function reject(option: string, expected: string, got: string): never {
  throw new ControlError('ERR_CONTROL_OPTION', `Option '${option}': expected ${expected}, got ${got}`);
}
