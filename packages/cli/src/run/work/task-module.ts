/** Finds the user's module and the function in it; used in the main thread and again in every worker. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { NamedFile } from '../../disk/file-id.js';
import { ExpectedError, UsageError } from '../../exit-code.js';
import { attempt, hasCode, tried } from '../../system-error.js';
import type { DescribedError } from './batch.js';
import { describeError, pathOf, placeIn, shownValue, stackOf, threadFailure } from './described-error.js';

export interface ModuleReference {
  readonly url: string;
  readonly exportName: string | undefined;
}

/** A user's function: its arguments and its result may be anything. */
export type TaskFunction = (...args: unknown[]) => unknown;

/** `<module>[#export]`, checked to exist. A file whose own name has a `#` is found too. */
export function findModule(reference: string): ModuleReference {
  // No thread starts in a folder that is gone, as after a deployment, and the path of a module would mean nothing there.
  attempt(() => process.cwd(), 'cannot use the current folder; change to another one');
  const hash = reference.lastIndexOf('#');
  const isWhole = hash === -1 || (existsSync(reference) && statSync(reference).isFile());
  if (isWhole) return { url: urlOf(reference), exportName: undefined };
  const exportName = reference.slice(hash + 1);
  if (exportName === '') throw new UsageError(`expected an export's name after '#' in '${reference}'`);
  return { url: urlOf(reference.slice(0, hash)), exportName };
}

/** @param given the module as the user named it */
export function moduleFile(given: string, { url }: ModuleReference): NamedFile {
  return { what: `the module '${given}'`, file: fileURLToPath(url) };
}

/** A statement that only an ES module has, at the start of a line or after another statement. */
const ES_STATEMENT = /(?:^|[;}])[ \t]*(?:export\b|import\b(?!\s*\())/m;

/** Whether Node.js takes the file for CommonJS: by its ending, else its package, else its text. Code to paste beside it should be CommonJS then. */
export function isCommonJs(url: string): boolean {
  return tried(() => kindOf(realpathSync(fileURLToPath(url)))) === 'commonjs';
}

function kindOf(path: string): unknown {
  const ending = /\.([cm])[jt]s$/.exec(path)?.[1];
  if (ending !== undefined) return ending === 'c' ? 'commonjs' : 'module';
  return typeFor(path) ?? (ES_STATEMENT.test(readFileSync(path, 'utf8')) ? 'module' : 'commonjs');
}

/** The `type` of the nearest package.json above the file: https://nodejs.org/api/packages.html#type. Undefined: there is none. */
function typeFor(path: string): unknown {
  const folder = dirname(path);
  if (folder === path || basename(folder) === 'node_modules') return undefined;
  const text = tried(() => readFileSync(join(folder, 'package.json'), 'utf8'));
  return text === undefined ? typeFor(folder) : (JSON.parse(text) as { readonly type?: unknown }).type;
}

export type ModuleNamespace = Readonly<Record<string, unknown>>;

export async function importModule(url: string): Promise<ModuleNamespace> {
  try {
    return (await import(url)) as ModuleNamespace;
  } catch (error) {
    throw hasCode(error, ['ERR_UNKNOWN_FILE_EXTENSION']) ? needsTypeStripping(url) : error;
  }
}

/**
 * What a promise of the user's code in the main thread resolves to. Rejects where nothing is left to do that could settle it: Node.js ends
 * the process there without a word.
 * @param what what the error's message calls the promise
 */
export async function settled<T>(pending: T, what: string): Promise<Awaited<T>> {
  let onNothingLeft!: () => void;
  const isStuck = new Promise<never>((_, reject) => {
    onNothingLeft = () =>
      reject(new ExpectedError(`${what} never settles: nothing is left to do that could settle it`));
  });
  process.once('beforeExit', onNothingLeft);
  try {
    return await Promise.race([pending, isStuck]);
  } finally {
    process.off('beforeExit', onNothingLeft);
  }
}

/** The function that `selectName` chooses. */
export function selectFunction(module: ModuleNamespace, name: string | undefined, url: string): TaskFunction {
  return namedFunction(module, selectName(module, name, url), url);
}

/** The given name, else 'default' where that is a function, else the name of the only function there is. */
export function selectName(module: ModuleNamespace, name: string | undefined, url: string): string {
  if (name !== undefined) return name;
  if (functionsOf(module).has('default')) return 'default';
  const [only, ...others] = taskNames(module);
  if (only !== undefined && others.length === 0) return only;
  throw new UsageError(`${pathOf(url)} has no default export; ${exportsInWords(module)}`);
}

export function namedFunction(module: ModuleNamespace, name: string, url: string): TaskFunction {
  const value = functionsOf(module).get(name);
  if (value !== undefined) return value;
  const what = Object.hasOwn(module, name) ? 'no function' : 'no export';
  throw new UsageError(`${pathOf(url)} has ${what} '${name}'; ${exportsInWords(module)}`);
}

/**
 * The own exports of a module, never inherited ones. For CommonJS, where `default` is all of `module.exports`, this adds those that the
 * lexer of Node.js did not find, and the default export that a compiler has written into it.
 */
export function exportsOf(module: ModuleNamespace): ModuleNamespace {
  const { default: whole } = module;
  if (typeof whole !== 'object' || whole === null) return module;
  const own = readable(whole);
  const all = { ...own, ...module };
  return 'default' in own ? { ...all, default: own.default } : all;
}

/** The properties, without those whose getter throws: some packages have such getters for exports that they have removed. */
function readable(whole: object): ModuleNamespace {
  const names = Object.keys(whole) as (keyof typeof whole)[];
  return Object.fromEntries(names.flatMap((name) => tried(() => [[name, whole[name]]]) ?? []));
}

function functionsOf(module: ModuleNamespace): Map<string, TaskFunction> {
  const functions = Object.entries(exportsOf(module)).filter(([, value]) => typeof value === 'function');
  return new Map(functions as [string, TaskFunction][]);
}

/** `setup` and `teardown` are called by the worker, `default` is not a name to choose by. */
const reservedNames = new Set(['setup', 'teardown', 'default', 'module.exports', '__esModule']);

function taskNames(module: ModuleNamespace): string[] {
  return [...functionsOf(module).keys()].filter((name) => !reservedNames.has(name)).sort();
}

function exportsInWords(module: ModuleNamespace): string {
  const ofDefault = functionsOf(module).has('default') ? ['default'] : [];
  const names = [...ofDefault, ...taskNames(module)].map((name) => `#${name}`);
  return names.length === 0 ? 'it exports no function' : `it exports ${names.join(', ')}`;
}

function urlOf(reference: string): string {
  const isUrl = reference.startsWith('file:');
  const path = isUrl
    ? attempt(() => fileURLToPath(reference), `expected a file: URL of a file here, got '${reference}'`)
    : reference;
  const stats = attempt(() => statSync(path), `cannot find module '${reference}'`);
  if (!stats.isFile()) throw new UsageError(`expected a module, but '${reference}' is not a file`);
  return isUrl ? reference : pathToFileURL(path).href;
}

function needsTypeStripping(url: string): UsageError {
  return new UsageError(
    `Node.js ${process.versions.node} cannot run ${pathOf(url)} as it is. For TypeScript use Node.js >= 22.18, ` +
      'compile it to JavaScript first, or set NODE_OPTIONS="--import ./loader.mjs", where loader.mjs is, with tsx installed: ' +
      "import 'tsx/cjs'; import { register } from 'tsx/esm/api'; register();",
  );
}

/** Node's own check takes a fraction of a second; it must not hold up the message for long. */
const CHECK_TIMEOUT_MS = 5000;

/** What is said, after an article, of a module that takes too long to load. */
export const AWAITS_END = 'top-level await, or an await in its setup, has to end by then';
/** Takes the place of the option that the library's message names, which the command does not have. */
const TOO_LONG = `. A ${AWAITS_END}: begin there what takes longer, and await it in the function`;

/** @param stack the lines of the user's code, where the error itself does not have them */
export function loadError(module: string, url: string, error: unknown, stack?: string): UsageError {
  const cause = hasCode(error, ['ERR_MODULE_LOAD']) ? (error as Error).cause : error;
  if (!(cause instanceof Error)) return new UsageError(`cannot load '${module}': ${shownValue(cause)}`);
  // Nothing is wrong with the module.
  if (hasCode(cause, ['ERR_WORKER_INIT_FAILED']))
    return new UsageError(`cannot run '${module}': ${threadFailure(cause)}`);
  // This is a UsageError of ours: it crossed a thread or came from a process, so that only its name tells its class.
  if (cause.name === 'UsageError') return new UsageError(cause.message);
  const place = cause instanceof SyntaxError ? placeOfSyntaxError(url) : placeIn(stack ?? stackOf(cause));
  const message = describeError(cause).message.replace(' (option worker.startTimeoutMs)', TOO_LONG);
  const told = `${cause.name}: ${message}${place}${hintFor(message)}`;
  return new UsageError(`cannot load '${module}': ${told}`);
}

/** For `catch`: throws a `loadError`. @param given the module as the user named it */
export function failsToLoad(given: string, url: string): (error: unknown) => never {
  return (error) => {
    throw loadError(given, url, error);
  };
}

/** `loadError` for an error that another process has reported. */
export function toldLoadError(module: string, url: string, told: DescribedError): UsageError {
  const { name, message, stack } = told;
  if (name === 'thrown') return loadError(module, url, message);
  const error =
    name === 'SyntaxError' ? new SyntaxError(message) : Object.assign(new Error(message), { name });
  return loadError(module, url, error, stack ?? '');
}

/** A hint for an ES module that Node.js takes for CommonJS, as with the package.json of `npm init`. @param message the error's message */
function hintFor(message: string): string {
  if (!/^(?:Cannot use import statement outside a module|Unexpected token 'export')/.test(message)) return '';
  return '. For import and export, name the file .mjs, or put "type": "module" into its package.json';
}

/**
 * A SyntaxError of an import carries no place; only Node's printing of an uncaught one adds it. Asking `node --check`
 * gives it back for the module itself, though not for what it imports.
 */
function placeOfSyntaxError(url: string): string {
  const { stderr } = spawnSync(process.execPath, ['--check', fileURLToPath(url)], {
    encoding: 'utf8',
    timeout: CHECK_TIMEOUT_MS,
  });
  const place = /^(?:file:\/\/)?(\S.*:\d+)\r?\n/.exec(stderr ?? '');
  return place === null ? '' : ` (${place[1]})`;
}
