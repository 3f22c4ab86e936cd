// Bundles the library: the code of its threads as texts (see platform/node/node-thread.ts for why), then each entry as one file,
// because every module that is loaded costs a third of a millisecond.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, join, relative } from 'node:path';
import { build, transform } from 'esbuild';
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
  writeFileSync(new URL('thread-sources.js', node), `${script}\n${lines.join('')}`);
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

/** The text of a module as that of a function: what it imports it asks for, by what `required` makes of a name; what it exports follows on `handOn`. */
function withoutModules(source, required, handOn) {
  const named = (list, theirs, own) => `{${list.replace(/([\w$]+) as ([\w$]+)/g, `${theirs}:${own}`)}}`;
  const text = source
    .replace(/\bimport\s*"([^"]+)";/g, (_, from) => `${required(from)};`)
    .replace(/\bimport\s*([\w$]+)?,?\s*(?:\{([^}]*)\})?\s*from\s*"([^"]+)";/g, (_, whole, list, from) => {
      const parts = [whole, list === undefined ? undefined : named(list, '$1', '$2')];
      return parts
        .filter((part) => part !== undefined)
        .map((part) => `const ${part}=${required(from)};`)
        .join('');
    })
    .replace(/\bexport\s*\{([^}]*)\};?/g, (_, list) => `${handOn}${named(list, '$2', '$1')};`);
  if (/(^|[;}\n])(import[\s{"*]|export[\s{])/.test(text))
    throw new Error('An import or export of a module was not understood');
  return text;
}

/**
 * Without space, comments and names of variables, because every thread and process parses this. The names of functions, classes and methods stay, for profiles
 * and debuggers: those of private methods, which the minifier would shorten, are no private names while it looks.
 */
function minified(text, inputMap) {
  if (text.includes(NOT_PRIVATE)) throw new Error(`The code has the letter ${NOT_PRIVATE}`);
  // Methods, and fields that are given a function.
  const named = text.matchAll(/(?<![.\w])#(\w+)\(|#(\w+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>/g);
  const methods = new Set([...named].map(([, method, field]) => method ?? field));
  const shown = text.replace(/#(\w+)/g, (all, name) => (methods.has(name) ? NOT_PRIVATE + name : all));
  const { code, map, errors } = minifySync('thread.js', shown, {
    inputMap,
    sourcemap: inputMap !== undefined,
    module: true,
    compress: false,
    mangle: { toplevel: true, keepNames: { function: true, class: true } },
  });
  if (errors.length > 0) throw new Error(errors[0].message);
  return { code: code.replaceAll(NOT_PRIVATE, '#'), map };
}
/** A letter that the code does not have. */
const NOT_PRIVATE = 'ƒ';

/** The parts of a thread hand each other values: a variable that is exported would stay what it was. */
function refuseVariables(files) {
  const found = files.filter((file) => /^export (let|var)\b/m.test(readFileSync(file, 'utf8')));
  if (found.length > 0) throw new Error(`No module of a thread may export a variable: ${found.join(', ')}`);
}

/** What programs import beside the pool. Their types stay beside them, file by file. */
const PUBLIC = ['worker', 'files', 'sync', 'internal'];

const source = (name) => new URL(`../packages/threadwise/src/${name}.ts`, import.meta.url).pathname;
const OPTIONS = {
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

/**
 * Bundles the entries into `dist/<name>.js`, in the place of the modules that the compiler wrote there; and into `dist/<name>.cjs`, for
 * loaders that cannot `require` a module: Jest's.
 */
export async function buildEntries() {
  const options = { ...OPTIONS, entryPoints: PUBLIC.map(source) };
  await Promise.all([
    build({ ...options, format: 'esm', sourcemap: true }),
    build({ ...options, format: 'cjs', outExtension: { '.js': '.cjs' } }),
    buildPool(),
  ]);
  for (const name of ['index', ...PUBLIC])
    writeFileSync(join(OPTIONS.outdir, `${name}.d.cts`), typesOf(name));
}

/**
 * Builds the entry `threadwise`. For Node.js: `index.cjs`, which starts threads and then loads the rest, `engine.cjs`; `shared.cjs`, which both
 * need; and `index.js`, a module that hands on what `index.cjs` has, so that a program that imports the library and requires it has it once. Only
 * CommonJS can load a part of itself when it is needed, and return at once. For bundlers, which could not follow that: `whole.js`.
 */
async function buildPool() {
  const options = { ...OPTIONS, format: 'esm', metafile: true };
  const { metafile } = await build({ ...options, entryPoints: { whole: source('index') }, sourcemap: true });
  const { outputFiles, metafile: parts } = await build({
    ...options,
    minifyWhitespace: false, // `minified` comes later, and does it
    lineLimit: 0,
    entryPoints: { index: source('index'), engine: source('open-pool') },
    plugins: [...OPTIONS.plugins, { name: 'load later', setup: loadLater }],
    splitting: true,
    chunkNames: 'shared',
    sourcemap: 'external',
    write: false,
  });
  refuseVariables(
    Object.keys(Object.entries(parts.outputs).find(([path]) => /shared\.js$/.test(path))[1].inputs),
  );
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  for (const name of ['index', 'shared', 'engine']) {
    const required = (from) => `require("${from.replace(/\.js$/, '.cjs')}")`;
    const script = withoutModules(texts.get(`${name}.js`), required, 'module.exports=');
    const { code, map } = minified(
      `"use strict";${name === 'index' ? LOAD_ENGINE : ''}${script}`,
      JSON.parse(texts.get(`${name}.js.map`)),
    );
    const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
    const result = await transform(`${code}\n//# sourceMappingURL=${url}`, {
      sourcefile: `${name}.js`,
      sourcemap: 'external',
      minifyWhitespace: true,
      lineLimit: OPTIONS.lineLimit,
    });
    const file = join(OPTIONS.outdir, `${name}.cjs`);
    writeFileSync(file, `${result.code}//# sourceMappingURL=${name}.cjs.map\n`);
    writeFileSync(`${file}.map`, result.map);
  }
  const [{ exports }] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint !== undefined);
  const index = join(OPTIONS.outdir, 'index.js');
  writeFileSync(
    index,
    `import { createRequire } from 'node:module';
export const { ${exports.join(', ')} } = createRequire(import.meta.url)('./index.cjs');
`,
  );
  rmSync(`${index}.map`, { force: true }); // the compiler's, of the file that was in its place
}

const LOAD_ENGINE = 'const loadEngine=()=>require("./engine.cjs");';

/** `create-pool.ts` gets functions that load `open-pool.ts` when they are called. */
function loadLater({ onResolve, onLoad }) {
  onResolve({ filter: /open-pool\.js$/ }, ({ path }) => ({ path, namespace: 'later' }));
  onLoad({ filter: /./, namespace: 'later' }, () => ({
    contents: ['openPool', 'availableThreads']
      .map((name) => `export const ${name} = (...args) => loadEngine().${name}(...args);`)
      .join('\n'),
  }));
}

/** The same types: a compiler that reads this has no better way to them, and the program can load either file. */
function typesOf(name) {
  return `// @ts-ignore: the types are those of a module.\nexport * from './${name}.js';\n`;
}

/** The texts of the threads are made, and no source. */
function useBuiltSources({ onResolve }) {
  onResolve({ filter: /thread-sources\.js$/ }, () => ({ path: new URL('thread-sources.js', node).pathname }));
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

if (process.argv[1] === new URL(import.meta.url).pathname) {
  await buildThreads();
  await buildEntries();
}
