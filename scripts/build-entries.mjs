// Bundles what programs import: each entry as one file, because every module that is loaded costs a third of a millisecond; the pool in two parts.
import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, transform } from 'esbuild';
import { loadLater, minified, refuseVariables, withoutModules } from './build-text.mjs';
import { threadSources } from './build-threads.mjs';

/** What programs import beside the pool. Their types stay beside them, file by file. */
const PUBLIC = ['worker', 'files', 'sync', 'internal'];

/**
 * What of the pool is loaded when it is first called: `engine`, when the first pool has started its threads; `later`, what only some pools need.
 */
const LATER = {
  engine: ['open-pool'],
  later: [
    'core/calls/map',
    'core/inline/calling-thread',
    'core/stats',
    'platform/process/platform',
    'runner/here',
    'scheduling/placement/auto',
    'transport/classes/packing',
    'transport/codec/error-codec',
    'transport/coordinator/exchange',
  ],
};

const sources = new URL('../packages/threadwise/src/', import.meta.url);
const source = (name) => new URL(`${name}.ts`, sources).pathname;
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
 * Builds the entry `threadwise`. For Node.js: `index.cjs`, which starts threads and then loads `engine.cjs`; `later.cjs`, loaded when something of it is
 * called; `shared.cjs` and `common.cjs`, what several of these need; and `index.js`, a module that hands on what `index.cjs` has, out of the same file, so that a program that imports the library and requires it has it once. Only
 * CommonJS can load a part of itself when it is needed, and return at once. For bundlers, which could not follow that: `whole.js`.
 */
async function buildPool() {
  const options = { ...OPTIONS, format: 'esm', metafile: true };
  const { metafile } = await build({ ...options, entryPoints: { whole: source('index') }, sourcemap: true });
  const { outputFiles, metafile: parts } = await build({
    ...options,
    minifyWhitespace: false, // `minified` comes later, and does it
    lineLimit: 0,
    entryPoints: [
      { in: source('index'), out: 'index' },
      ...Object.keys(LATER).map((group) => ({ in: group, out: group })),
    ],
    plugins: [...OPTIONS.plugins, loadLater(LATER, '.ts', sources, source('index'))],
    splitting: true,
    sourcemap: 'external',
    write: false,
  });
  refuseVariables(parts);
  const names = namesOf(parts.outputs);
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  for (const [output, name] of names) {
    const required = (from) => {
      const part = names.get(basename(from));
      return `require("${part === undefined ? from : `./${part}.cjs`}")`;
    };
    const loaders = Object.keys(LATER).map((group) => `const load_${group}=()=>require("./${group}.cjs");`);
    const { code, map } = minified(
      `"use strict";${loaders.join('')}${withoutModules(texts.get(output), required, 'module.exports=')}`,
      JSON.parse(texts.get(`${output}.map`)),
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
export const { ${exports.join(', ')} } = createRequire(import.meta.url)('./shared.cjs');
`,
  );
  rmSync(`${index}.map`, { force: true }); // the compiler's, of the file that was in its place
}

/** What each file of a build in parts is called: as its entry; `shared`, what all have; `common`, what the first pool and all that is loaded later have. */
function namesOf(outputs) {
  const files = Object.entries(outputs).filter(([path]) => path.endsWith('.js'));
  const names = new Map(
    files.map(([path, { entryPoint }]) => [basename(path), entryPoint && basename(path, '.js')]),
  );
  const chunks = [...names].filter(([, name]) => name === undefined).map(([file]) => file);
  if (chunks.length !== 2) throw new Error(`The parts share code in ${chunks.length} ways and not in two`);
  const ofIndex = files
    .find(([path]) => basename(path) === 'index.js')[1]
    .imports.map(({ path }) => basename(path));
  for (const file of chunks) names.set(file, ofIndex.includes(file) ? 'shared' : 'common');
  return names;
}

/** The same types: a compiler that reads this has no better way to them, and the program can load either file. */
function typesOf(name) {
  return `// @ts-ignore: the types are those of a module.\nexport * from './${name}.js';\n`;
}

/** The texts of the threads are made, and no source. */
function useBuiltSources({ onResolve }) {
  onResolve({ filter: /thread-sources\.js$/ }, () => ({ path: threadSources.pathname }));
}
