// Writes the code of a worker thread, as one text, into the library's dist: see platform/node/thread.ts for why.
import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const dist = new URL('../packages/threadwise/dist/', import.meta.url);

/** Bundles the compiled worker entry into `dist/platform/node/worker-source.js`. */
export async function buildWorker() {
  const { outputFiles } = await build({
    entryPoints: [new URL('platform/node/worker-entry.js', dist).pathname],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // Names stay, for stacks; space and comments go, because every worker parses this.
    minifyWhitespace: true,
    legalComments: 'none',
  });
  // A worker takes over `--input-type=module` from its parent, and then has no `require`: this works either way.
  const bundled = `((require) => {${outputFiles[0].text}})((id) => process.getBuiltinModule(id));`;
  const text = JSON.stringify(bundled);
  writeFileSync(new URL('platform/node/worker-source.js', dist), `export const workerSource = ${text};\n`);
}

if (process.argv[1] === new URL(import.meta.url).pathname) await buildWorker();
