// Bundles the code of the library's threads, as texts: see platform/node/node-thread.ts for why.
import { writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { relative } from 'node:path';
import { build } from 'esbuild';
import { minified, refuseVariables, withoutModules } from './build-text.mjs';

const platform = new URL('../packages/threadwise/dist/platform/', import.meta.url);
/** What is built. */
export const threadSources = new URL('node/thread-sources.js', platform);

/** The name of each text that is built, and the file where its thread or process begins. */
const ENTRIES = {
  workerSource: 'node/worker-entry',
  coordinatorSource: 'node/coordinator-entry',
  processSource: 'process/worker-entry',
  relaySource: 'process/relay-entry',
  threadSource: 'process/thread-entry',
};

/**
 * Bundles the compiled entries into `thread-sources.js`. What several of them need stands there once: no bundler of a
 * user makes a text smaller.
 */
export async function buildThreads() {
  const { outputFiles, metafile } = await build({
    entryPoints: Object.values(ENTRIES).map((entry) => new URL(`${entry}.js`, platform).pathname),
    bundle: true,
    splitting: true,
    write: false,
    outdir: platform.pathname,
    outbase: platform.pathname,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
  });
  refuseVariables(Object.keys(metafile.inputs));
  const parts = new Map(
    outputFiles.map(({ path, text }) => [
      relative(platform.pathname, path).replace(/\.js$/, ''),
      scriptOf(text),
    ]),
  );
  const shared = [...parts.keys()].filter((name) => !Object.values(ENTRIES).includes(name));
  const lines = shared.map(
    (name) => `const ${variableOf(name)} = ${JSON.stringify(parts.get(name).text)};\n`,
  );
  for (const [name, entry] of Object.entries(ENTRIES)) {
    const needed = partsOf(entry, parts);
    const { text } = parts.get(entry);
    const names = globalsIn([...needed.map((part) => parts.get(part).text), text].join(''));
    const list = needed.map(variableOf).join(', ');
    const given = [JSON.stringify(names.join()), `{ ${list} }`, JSON.stringify(text)];
    lines.push(`export const ${name} = script(${given.join(', ')});\n`);
  }
  writeFileSync(threadSources, `${script}\n${lines.join('')}`);
}

/**
 * The text of a script. What runs tasks must not depend on what tasks make of the globals: each one that the code may use is taken before any task
 * module is loaded, and the code sees nothing else.
 * @param names the globals
 * @param parts the texts that the script's own needs, by name
 */
function script(names, parts, text) {
  const before = Object.entries(parts).map(([name, part]) => `const ${name}=(()=>{${part}})();`);
  const values = names.replace(/\w+/g, 'globalThis.$&');
  // A thread takes over `--input-type=module` from its parent, and then has no `require`: this works either way.
  return `((require,${names})=>{"use strict";${before.join('')}(()=>{${text}})()})(globalThis.process.getBuiltinModule,${values});`;
}

/** All globals that occur in a text, in whatever role. */
function globalsIn(code) {
  const words = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  return Object.getOwnPropertyNames(globalThis).filter((name) => words.has(name) && !NOT_TAKEN.has(name));
}

/**
 * Nobody can replace the first ones; no parameter may have the next names; Node.js loads `performance` when it is first named, which makes a
 * thread start later; and `--eval` makes globals of modules.
 */
const NOT_TAKEN = new Set([
  'undefined',
  'NaN',
  'Infinity',
  'eval',
  'require',
  'module',
  'exports',
  'performance',
  ...builtinModules,
]);
NOT_TAKEN.delete('process');

/** What an entry imports, each after what it imports itself. */
function partsOf(entry, parts, found = new Set()) {
  for (const name of parts.get(entry).imports) {
    partsOf(name, parts, found);
    found.add(name);
  }
  return [...found];
}

/** What a part that others import is called, in the file and in the script. */
function variableOf(name) {
  return name.replace(/^chunk-/, 'part').replace(/\W/g, '_');
}

/** A module of a thread as a part of its script. `imports`: other parts, which stand before it. */
function scriptOf(source) {
  const imports = [];
  const required = (from) => {
    if (!from.startsWith('.')) return `require("${from}")`;
    const name = from.replace(/^[./]+|\.js$/g, '');
    imports.push(name);
    return variableOf(name);
  };
  return { text: withoutModules(minified(source).code, required, 'return'), imports };
}
