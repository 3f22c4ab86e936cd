// Bundles the library: the code of its threads as texts (see platform/node/node-thread.ts for why), then each entry as one file,
// because every module that is loaded costs a third of a millisecond.
import { readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { minifySync } from 'vite';

const platform = new URL('../packages/threadwise/dist/platform/', import.meta.url);
const node = new URL('node/', platform);

/** The name of each text that is built, and the file where its thread or process begins. */
const ENTRIES = {
  workerSource: 'node/worker-entry',
  coordinatorSource: 'node/coordinator-entry',
  processSource: 'process/worker-entry',
  relaySource: 'process/relay-entry',
  threadSource: 'process/thread-entry',
};

/**
 * Bundles the compiled entries into `dist/platform/node/thread-sources.js`. What several of them need stands there once: no bundler of a
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
  const lines = [];
  for (const [name, { text }] of parts) {
    if (!Object.values(ENTRIES).includes(name))
      lines.push(`const ${variableOf(name)} = ${JSON.stringify(text)};\n`);
  }
  for (const [name, entry] of Object.entries(ENTRIES)) {
    const needed = partsOf(entry, parts);
    const texts = [...needed, entry].map((part) => parts.get(part).text);
    const [begin, end] = withOwnGlobals(texts.join(''));
    const shared = needed.map(
      (part) =>
        `${JSON.stringify(`const ${variableOf(part)}=(()=>{`)} + ${variableOf(part)} + ${JSON.stringify('})();')}`,
    );
    const whole = [JSON.stringify(begin), ...shared, JSON.stringify(`(()=>{${texts.at(-1)}})()${end}`)];
    lines.push(`export const ${name} = ${whole.join(' + ')};\n`);
  }
  writeFileSync(new URL('thread-sources.js', node), lines.join(''));
}

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
  return name.replace(/\W/g, '_');
}

/** A module of a thread as a part of its script: what it imports it asks for, what it exports it returns. `imports`: other parts. */
function scriptOf(source) {
  const named = (list) => `{${list.replaceAll(' as ', ':')}}`;
  const imports = [];
  const partOf = (from) => {
    const name = from.replace(/^[./]+|\.js$/g, '');
    imports.push(name);
    return variableOf(name);
  };
  const text = minified(source)
    // What another part needs, too, and that one stands before.
    .replace(/\bimport\s*"(\.[^"]+)";/g, (_, from) => {
      partOf(from);
      return '';
    })
    .replace(/\bimport\s*([\w$]+)?,?\s*(?:\{([^}]*)\})?\s*from\s*"([^"]+)";/g, (_, whole, list, from) => {
      const module = from.startsWith('.') ? partOf(from) : `require("${from}")`;
      const parts = [whole, list === undefined ? undefined : named(list)].filter(
        (part) => part !== undefined,
      );
      return parts.map((part) => `const ${part}=${module};`).join('');
    })
    .replace(
      /\bexport\s*\{([^}]*)\};?/g,
      (_, list) => `return{${list.replace(/([\w$]+) as ([\w$]+)/g, '$2:$1')}};`,
    );
  if (/(^|[;}\n])(import[\s{"*]|export[\s{])/.test(text))
    throw new Error('An import or export of a thread was not understood');
  return { text, imports };
}

/**
 * Without space, comments and names of variables, because every thread parses this. The names of functions, classes and methods stay, for profiles
 * and debuggers: those of private methods, which the minifier would shorten, are no private names while it looks.
 */
function minified(text) {
  if (text.includes(NOT_PRIVATE)) throw new Error(`The code of a thread has the letter ${NOT_PRIVATE}`);
  // Methods, and fields that are given a function.
  const named = text.matchAll(/(?<![.\w])#(\w+)\(|#(\w+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>/g);
  const methods = new Set([...named].map(([, method, field]) => method ?? field));
  const shown = text.replace(/#(\w+)/g, (all, name) => (methods.has(name) ? NOT_PRIVATE + name : all));
  const { code, errors } = minifySync('thread.js', shown, {
    module: true,
    compress: false,
    mangle: { toplevel: true, keepNames: { function: true, class: true } },
  });
  if (errors.length > 0) throw new Error(errors[0].message);
  return code.replaceAll(NOT_PRIVATE, '#');
}
/** A letter that the code does not have. */
const NOT_PRIVATE = 'ƒ';

/** The parts of a thread hand each other values: a variable that is exported would stay what it was. */
function refuseVariables(files) {
  const found = files.filter((file) => /^export (let|var)\b/m.test(readFileSync(file, 'utf8')));
  if (found.length > 0) throw new Error(`No module of a thread may export a variable: ${found.join(', ')}`);
}

/** What programs import. Their types stay beside them, file by file. */
const PUBLIC = ['index', 'worker', 'files', 'sync', 'internal'];

/**
 * Bundles the entries into `dist/<name>.js`, in the place of the modules that the compiler wrote there; and into `dist/<name>.cjs`, for
 * loaders that cannot `require` a module: Jest's.
 */
export async function buildEntries() {
  const options = {
    entryPoints: PUBLIC.map(
      (name) => new URL(`../packages/threadwise/src/${name}.ts`, import.meta.url).pathname,
    ),
    outdir: new URL('../packages/threadwise/dist', import.meta.url).pathname,
    bundle: true,
    platform: 'node',
    target: 'node20',
    // Names stay, for stacks, and lines are short: Node.js prints the one that threw. Space and comments go, because every process parses this.
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 120,
    legalComments: 'none',
    plugins: [{ name: 'thread sources', setup: useBuiltSources }],
    logLevel: 'error',
  };
  await Promise.all([
    build({ ...options, format: 'esm', sourcemap: true }),
    build({ ...options, format: 'cjs', outExtension: { '.js': '.cjs' } }),
  ]);
  for (const name of PUBLIC) writeFileSync(join(options.outdir, `${name}.d.cts`), typesOf(name));
}

/** The same types: a compiler that reads this has no better way to them, and the program can load either file. */
function typesOf(name) {
  return `// @ts-ignore: the types are those of a module.\nexport * from './${name}.js';\n`;
}

/** The texts of the threads are made, and no source. */
function useBuiltSources({ onResolve }) {
  onResolve({ filter: /thread-sources\.js$/ }, () => ({ path: new URL('thread-sources.js', node).pathname }));
}

/**
 * What runs tasks must not depend on what tasks make of the globals: each one that the code may use is taken before any task module
 * is loaded, and the code sees nothing else. The names are all globals that occur in the text, in whatever role. Returns what stands before it, and behind.
 */
function withOwnGlobals(code) {
  const words = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  const names = Object.getOwnPropertyNames(globalThis).filter(
    (name) => words.has(name) && !NOT_TAKEN.has(name),
  );
  // A thread takes over `--input-type=module` from its parent, and then has no `require`: this works either way.
  const values = ['process.getBuiltinModule', ...names].map((name) => `globalThis.${name}`);
  return [`((require,${names})=>{"use strict";`, `})(${values});`];
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

if (process.argv[1] === new URL(import.meta.url).pathname) {
  await buildThreads();
  await buildEntries();
}
