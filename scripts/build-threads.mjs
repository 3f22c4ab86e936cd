// Writes the code of the library's threads, each as one text, into its dist: see platform/node/thread.ts for why.
import { writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
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

if (process.argv[1] === new URL(import.meta.url).pathname) await buildThreads();
