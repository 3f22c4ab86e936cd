// Bundles the code of the library's threads, as texts: see platform/node/node-thread.ts for why.
import { writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { relative } from 'node:path';
import { build } from 'esbuild';
import { loadLater, minified, refuseVariables, withoutModules } from './build-text.mjs';

const dist = new URL('../packages/threadwise/dist/', import.meta.url);
const platform = new URL('platform/', dist);
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
 * What not all workers need, and none before its first task: it stands in each text as a comment, which V8 skips. When something of it is first
 * called, it is read out of the text, of which the comment is a part: a string would lie in memory beside it.
 */
const LATER = [
  'core/calls/payload',
  'core/options/nearest',
  'runner/forks',
  'runner/instances',
  'runner/streamed',
  'transport/classes/packing',
  'transport/codec/error-codec',
  'transport/codec/shape-book',
  'transport/codec/value-reader',
  'transport/codec/value-writer',
  'transport/coordinator/given',
  'transport/message/claim-board',
  'transport/message/endpoint',
];

/**
 * Bundles the compiled entries into `thread-sources.js`. What several of them need stands there once: no bundler of a
 * user makes a text smaller.
 */
export async function buildThreads() {
  const { outputFiles, metafile } = await build({
    entryPoints: [
      { in: 'later', out: 'later' },
      ...Object.values(ENTRIES).map((out) => ({ in: new URL(`${out}.js`, platform).pathname, out })),
    ],
    plugins: [loadLater({ later: LATER }, '.js', dist)],
    bundle: true,
    splitting: true,
    write: false,
    outdir: platform.pathname,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
  });
  refuseVariables(metafile);
  const parts = new Map(
    outputFiles.map(({ path, text }) => [
      relative(platform.pathname, path).replace(/\.js$/, ''),
      scriptOf(text),
    ]),
  );
  const shared = [...parts.keys()].filter((name) => !['later', ...Object.values(ENTRIES)].includes(name));
  const lines = shared.map(
    (name) => `const ${variableOf(name)} = ${JSON.stringify(parts.get(name).text)};\n`,
  );
  const ofLater = partsOf('later', parts);
  const { text: later } = parts.get('later');
  if (later.includes('*/')) throw new Error('What is loaded later would end the comment that it stands in');
  lines.push(`const later = ${JSON.stringify(later)};\n`);
  for (const [name, entry] of Object.entries(ENTRIES)) {
    const own = partsOf(entry, parts);
    const { text } = parts.get(entry);
    const hasLater = [...own.map((part) => parts.get(part).text), text].some((part) =>
      part.includes('load_later('),
    );
    const needed = hasLater ? [...new Set([...own, ...ofLater])] : own;
    const later = hasLater ? ['later'] : [];
    const names = globalsIn([...[...needed, ...later].map((part) => parts.get(part).text), text].join(''));
    const list = needed.map(variableOf).join(', ');
    const given = [JSON.stringify(names.join()), `{ ${list} }`, JSON.stringify(text), ...later];
    lines.push(`export const ${name} = script(${given.join(', ')});\n`);
  }
  writeFileSync(threadSources, `${script}\n${lines.join('')}`);
}

/**
 * The text of a script. What runs tasks must not depend on what tasks make of the globals: each one that the code may use is taken before any task
 * module is loaded, and the code sees nothing else.
 * @param names the globals
 * @param parts the texts that the script's own needs, by name
 * @param later the text of what is loaded when it is first called
 */
function script(names, parts, text, later) {
  const before = Object.entries(parts).map(([name, part]) => `const ${name}=(()=>{${part}})();`);
  const given = [names, ...Object.keys(parts)];
  if (later !== undefined) {
    const comment = `const later_text=(()=>{/*${later}*/}).toString().slice(7,-3);`;
    const load = `require("node:vm").runInThisContext(\`(require,${given})=>{"use strict";\${later_text}}\`,{filename:"[worker eval]"})`;
    before.unshift(`${comment}let later;const load_later=()=>later??=${load}(require,${given});`);
  }
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
