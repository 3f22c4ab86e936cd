/** Which requests the load consists of, from the options: `--route '/main?name=x'`, `--route 'POST /render'`, `--header`, `--body`. */
import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { describeSystemError, UsageError } from '../../usage-error.js';
import type { RequestPlan } from './measure/protocol.js';

/** HEAD, CONNECT and TRACE have no answer that could be compared. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** An address of which only the path is used. */
const ANYWHERE = 'http://127.0.0.1';

export interface RequestOptions {
  readonly headers: readonly string[];
  /** A file. */
  readonly body: string | undefined;
}

/** @param option its name, for messages */
export function requestsOf(
  option: string,
  routes: readonly string[],
  { headers, body: file }: RequestOptions,
): RequestPlan[] {
  const shared = headersOf(headers);
  const body = file === undefined ? undefined : bodyOf(file);
  return routes.map((route) => {
    const { method, path } = parseRoute(option, route, body === undefined ? 'GET' : 'POST');
    return { method, path, headers: shared, body: WITH_BODY.has(method) ? body : undefined };
  });
}

function parseRoute(option: string, route: string, usual: string): { method: string; path: string } {
  const parts = /^(?:([A-Za-z]+)\s+)?(\/\S*)$/.exec(route.trim());
  if (parts === null) {
    throw new UsageError(
      `${option}: expected a path such as '/main?name=x' or 'POST /render', got '${route}'`,
    );
  }
  const method = (parts[1] ?? usual).toUpperCase();
  if (!METHODS.includes(method)) {
    throw new UsageError(`${option}: expected one of ${METHODS.join(', ')}, got '${parts[1]}'`);
  }
  const { pathname, search } = new URL(ANYWHERE + parts[2]!);
  return { method, path: pathname + search };
}

function headersOf(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    headers.map((header) => {
      const colon = header.indexOf(':');
      const [name, value] = [header.slice(0, colon).trim(), header.slice(colon + 1).trim()];
      if (colon < 1 || !isHeader(name, value)) {
        throw new UsageError(`--header: expected 'name: value', got '${header}'`);
      }
      return [name, value];
    }),
  );
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

function bodyOf(file: string): Uint8Array {
  try {
    return new Uint8Array(readFileSync(file));
  } catch (error) {
    throw new UsageError(`--body: cannot read ${file}: ${describeSystemError(error)}`);
  }
}
