/** What of a module's exports can serve requests, and how it is made to: a request listener, a server, or a function that makes one. */
import http from 'node:http';
import net from 'node:net';
import type { ModuleNamespace } from '../../../run/work/task-module.js';
import { exportsOf } from '../../exports.js';

type AnyFunction = (...args: unknown[]) => unknown;

export type Usable =
  | { readonly kind: 'listener' | 'server'; readonly start: () => unknown }
  /** Its result is to be looked at. */
  | { readonly kind: 'factory'; readonly make: () => unknown };

/** Looked at in that order. */
const NAMES = ['default', 'listener', 'handler', 'server', 'app'];
/** Whatever it has for parameters. */
const LISTENER_NAMES = new Set(['listener', 'handler']);
/** `(request, response)`. */
const LISTENER_PARAMETERS = 2;

/** The named export, else the first that can serve, else the only function there is. */
export function chooseExport(namespace: ModuleNamespace, name: string | undefined): Usable | undefined {
  const exported = exportsOf(namespace);
  if (name !== undefined) return usableOf(exported[name], name);
  for (const each of NAMES) {
    const usable = usableOf(exported[each], each);
    if (usable !== undefined) return usable;
  }
  const all = Object.entries(exported).filter(([, value]) => usableOf(value, '') !== undefined);
  return all.length === 1 ? usableOf(all[0]![1], '') : undefined;
}

/** @param isMade it comes from a factory already: a function is then a listener */
export function usableOf(value: unknown, name: string, isMade = false): Usable | undefined {
  if (typeof value === 'function')
    return usableFunction(value as AnyFunction, isMade || LISTENER_NAMES.has(name));
  if (typeof value !== 'object' || value === null) return undefined;
  const start = starterOf(value);
  return start === undefined ? undefined : { kind: 'server', start };
}

function usableFunction(value: AnyFunction, isListener: boolean): Usable | undefined {
  // What Express makes is a function, and listens.
  if (isListener || 'listen' in value || value.length >= LISTENER_PARAMETERS) {
    return { kind: 'listener', start: () => http.createServer(value as http.RequestListener).listen(0) };
  }
  if (/^class\b/.test(Function.prototype.toString.call(value))) return undefined;
  return { kind: 'factory', make: () => value() };
}

function starterOf(value: object): (() => unknown) | undefined {
  const has = (name: string): boolean => typeof (value as Record<string, unknown>)[name] === 'function';
  const call = (name: string, ...args: unknown[]): unknown =>
    (value as Record<string, AnyFunction>)[name]!(...args);
  if (value instanceof net.Server) return () => value.listening || value.listen(0);
  // Fastify.
  if (has('ready') && has('listen')) return () => call('listen', { port: 0, host: '127.0.0.1' });
  // Koa.
  if (has('callback')) return () => http.createServer(call('callback') as http.RequestListener).listen(0);
  // hapi.
  if (has('start') && 'listener' in value) return () => call('start');
  return has('listen') ? () => call('listen', 0) : undefined;
}

/** For messages: `it exports build, VERSION`. */
export function exportsInWords(namespace: ModuleNamespace): string {
  const names = Object.keys(namespace).filter((name) => name !== 'module.exports' && name !== '__esModule');
  return names.length === 0 ? 'it exports nothing' : `it exports ${names.join(', ')}`;
}
