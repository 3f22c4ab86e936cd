// Bundles what programs import: each entry as one file, because every module that is loaded costs a third of a millisecond; the pool in two parts.
import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, transform } from 'esbuild';
import { minified, refuseVariables, withoutModules } from './build-text.mjs';
import { threadSources } from './build-threads.mjs';

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
  onResolve({ filter: /thread-sources\.js$/ }, () => ({ path: threadSources.pathname }));
}
