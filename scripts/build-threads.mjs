// Bundles the library: the code of its threads, each as one text (see platform/node/thread.ts for why), then each entry as one file,
// because every module that is loaded costs a third of a millisecond.
import { writeFileSync } from 'node:fs';
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

/** Bundles the entries into `dist/<name>.js`, in the place of the modules that the compiler wrote there. */
export async function buildEntries() {
  await build({
    entryPoints: PUBLIC.map((name) => new URL(`../packages/threadwise/src/${name}.ts`, import.meta.url).pathname),
    outdir: new URL('../packages/threadwise/dist', import.meta.url).pathname,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    // Names stay, for stacks.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    plugins: [{ name: 'thread sources', setup: useBuiltSources }],
    logLevel: 'error',
  });
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
  // A thread takes over `--input-type=module` from its parent, and then has no `require`: this works either way.
  return `((require) => {${outputFiles[0].text}})((id) => process.getBuiltinModule(id));`;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  await buildThreads();
  await buildEntries();
}
