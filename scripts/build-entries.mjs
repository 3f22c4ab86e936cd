// Bundles what programs import: each entry as one file, because every module that is loaded costs 0.3 ms; the pool in several parts.
import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { loadLater, minified, refuseVariables, SHORTER, withoutModules } from './build-text.mjs';
import { BUILT_SOURCES, builtSource } from './build-threads.mjs';

/** The entries besides the pool. Their types stay beside them, file by file. */
const PUBLIC = ['worker', 'files', 'sync', 'internal'];

/**
 * The modules of the pool that are loaded later: `engine` once the first pool has started its threads; `later` when one of them is called.
 */
const LATER = {
  engine: ['open-pool'],
  later: [
    'core/calls/map',
    'core/inline/calling-thread',
    'core/stats',
    'platform/node/coordinator-thread',
    'platform/process/platform',
    'runner/here',
    'scheduling/placement/auto',
    'transport/classes/packing',
    'transport/codec/error-codec',
    'transport/coordinator/exchange',
  ],
};

const sources = new URL('../packages/threadwise/src/', import.meta.url);
const source = (name) => fileURLToPath(new URL(`${name}.ts`, sources));
const OPTIONS = {
  outdir: fileURLToPath(new URL('../packages/threadwise/dist', import.meta.url)),
  bundle: true,
  platform: 'node',
  target: 'node20',
  define: SHORTER,
  // Names stay for stack traces, and lines stay short, because Node.js prints the line that threw. Space goes: every process parses this.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 120,
  legalComments: 'none',
  plugins: [{ name: 'thread sources', setup: useBuiltSources }],
  logLevel: 'error',
};

/**
 * Bundles the entries into `dist/<name>.js`, in place of the modules that the compiler wrote there; and into `dist/<name>.cjs`, for
 * loaders that cannot `require` a module, such as Jest's.
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
 * Builds the entry `threadwise` as CommonJS, which alone can load a part of itself when needed and return at once. `index.cjs` starts
 * threads and then loads `engine.cjs`; `later.cjs` is loaded when called; `shared.cjs` and `common.cjs` have what several need.
 * `index.js` is a module with the same objects, for programs that both import and require the library; `whole.js` is for bundlers.
 */
async function buildPool() {
  const options = { ...OPTIONS, format: 'esm', metafile: true };
  const { metafile } = await build({
    ...options,
    minifyWhitespace: false, // which would take the comments that tell webpack what to leave; bundlers minify by themselves
    entryPoints: { whole: source('index') },
    sourcemap: true,
  });
  const { outputFiles, metafile: parts } = await build({
    ...options,
    minifyWhitespace: false, // `minified` does that later
    lineLimit: 0,
    entryPoints: [
      { in: source('index'), out: 'index' },
      ...Object.keys(LATER).map((group) => ({ in: group, out: group })),
    ],
    plugins: [...OPTIONS.plugins, loadLater(LATER, sources, source('index'))],
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
    const { code, map } = minified(
      `"use strict";${LOADERS[name] ?? ''}${withoutModules(texts.get(output), required, 'module.exports=')}`,
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
  rmSync(`${index}.map`, { force: true }); // the compiler's source map, of the file that was replaced
}

/**
 * What loads a group, for the part that calls it; in one line, as source maps count lines. `later` may be needed when the process has no file
 * descriptor left, be it to tell a caller so: hence its text is read with the part that loads it, and compiled if it cannot be read once more.
 */
const LOADERS = {
  shared: 'const load_engine=()=>require("./engine.cjs");',
  common: `
    let pathOfLater,textOfLater;
    try{
      pathOfLater=require.resolve("./later.cjs");
      textOfLater=require("node:fs").readFileSync(pathOfLater,"utf8");
    }catch{}
    function load_later(){
      try{return require("./later.cjs")}
      catch(error){
        if(textOfLater===undefined||error.syscall!=="open")throw error;
        const part=new module.constructor(pathOfLater,module);
        part.filename=pathOfLater;
        part._compile(textOfLater,pathOfLater);
        part.loaded=true;
        require.cache[pathOfLater]=part;
        return part.exports;
      }
    }`.replaceAll(/\n */g, ''),
};

/** The name of each file of a build in parts: that of its entry; `shared` for what all parts need; `common` for what the others share. */
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

/** The types of a CommonJS file, written as CommonJS: those of the module, as both have the same exports. */
function typesOf(name) {
  return `// @ts-ignore: the types are those of a module.
import all = require('./${name}.js');
export = all;
`;
}

/** The texts of the threads are built, and not a source. */
function useBuiltSources({ onResolve }) {
  onResolve({ filter: BUILT_SOURCES }, ({ path }) => ({ path: builtSource(basename(path, '.js')) }));
}
