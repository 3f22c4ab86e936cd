// Writes the code of the library's threads, each as one text, into its dist: see platform/node/thread.ts for why.
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

if (process.argv[1] === new URL(import.meta.url).pathname) await buildThreads();
