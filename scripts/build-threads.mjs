// Bundles the library: the code of its threads, each as one text (see platform/node/node-thread.ts for why), then each entry as one file,
// because every module that is loaded costs a third of a millisecond.
import { writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

const node = new URL('../packages/threadwise/dist/platform/node/', import.meta.url);

/** By what the text is called: the file where the thread begins. */
const ENTRIES = { workerSource: 'worker-entry.js', coordinatorSource: 'coordinator-entry.js' };

/** Bundles the compiled entries into `dist/platform/node/thread-sources.js`. */
export async function buildThreads() {
  const sources = await Promise.all(
    Object.entries(ENTRIES).map(
      async ([name, entry]) => `export const ${name} = ${JSON.stringify(await bundled(entry))};\n`,
    ),
  );
  writeFileSync(new URL('thread-sources.js', node), sources.join(''));
}

/** What programs import. Their types stay beside them, file by file. */
const PUBLIC = ['index', 'worker', 'files'];

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

async function bundled(entry) {
  const { outputFiles } = await build({
    entryPoints: [new URL(entry, node).pathname],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // Names stay, for stacks; space and comments go, because every thread parses this.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  });
  return withOwnGlobals(outputFiles[0].text);
}

/**
 * What runs tasks must not depend on what tasks make of the globals: each one that the code may use is taken before any task module
 * is loaded, and the code sees nothing else. The names are all globals that occur in the text, in whatever role.
 */
function withOwnGlobals(code) {
  const words = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  const names = Object.getOwnPropertyNames(globalThis).filter(
    (name) => words.has(name) && !NOT_TAKEN.has(name),
  );
  // A thread takes over `--input-type=module` from its parent, and then has no `require`: this works either way.
  const values = ['process.getBuiltinModule', ...names].map((name) => `globalThis.${name}`);
  return `((require, ${names}) => {(() => {${code}})();})(${values});`;
}
/** Nobody can replace the first ones; no parameter may have the next name; and `--eval` makes globals of modules. */
const NOT_TAKEN = new Set([
  'undefined',
  'NaN',
  'Infinity',
  'eval',
  'require',
  'module',
  'exports',
  ...builtinModules,
]);
NOT_TAKEN.delete('process');

if (process.argv[1] === new URL(import.meta.url).pathname) {
  await buildThreads();
  await buildEntries();
}
