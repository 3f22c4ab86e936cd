// Bundles the code of the library's threads as texts; platform/node/node-thread.ts says why.
import { readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minified, refuseVariables, SHORTER, withoutModules } from './build-text.mjs';

const platform = fileURLToPath(new URL('../packages/threadwise/dist/platform/', import.meta.url));
/**
 * The files that are built, each with the functions that it exports; and for each of these, which returns a text, the file where that
 * thread or process begins. The second file imports from the first what both need, and is loaded by programs that start such a thread.
 */
const FILES = {
  'worker-source': { workerSource: 'node/threads/worker-entry' },
  'thread-sources': {
    coordinatorSource: 'node/threads/coordinator-entry',
    processSource: 'process/worker-entry',
    relaySource: 'process/relay-entry',
  },
};
const ENTRIES = Object.values(FILES).flatMap((texts) => Object.values(texts));

/** The path of a file that is built. */
export const builtSource = (name) => join(platform, `node/threads/${name}.js`);
/** What imports of these files end with. */
export const BUILT_SOURCES = new RegExp(`/(${Object.keys(FILES).join('|')})\\.js$`);

/**
 * Bundles the compiled entries into the files. What several of the texts need is in the files only once: no bundler of a
 * user could shorten a text.
 */
export async function buildThreads() {
  const { outputFiles, metafile } = await build({
    entryPoints: ENTRIES.map((out) => ({ in: join(platform, `${out}.js`), out })),
    bundle: true,
    splitting: true,
    write: false,
    outdir: platform,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    define: SHORTER,
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
  });
  refuseVariables(metafile);
  const parts = new Map(
    outputFiles.map(({ path, text }) => [relative(platform, path).replace(/\.js$/, ''), scriptOf(text)]),
  );
  const needs = new Map(ENTRIES.map((entry) => [entry, needsOf(entry, parts)]));
  const common = [...needs.values()]
    .map(({ names }) => names)
    .reduce((all, names) => all.filter((name) => names.includes(name)));
  const [first] = Object.keys(FILES);
  const written = new Set();
  for (const [file, texts] of Object.entries(FILES)) {
    const needed = new Set(Object.values(texts).flatMap((entry) => needs.get(entry).needed));
    const own = [...needed].filter((name) => !written.has(name));
    const lines = own.map(
      (name) => `export const ${variableOf(name)} = ${JSON.stringify(parts.get(name).text)};`,
    );
    const imported = [...needed].filter((name) => written.has(name)).map(variableOf);
    const head =
      file === first
        ? `export ${script}\nexport const common = '${common}';`
        : `import { ${['script', 'common', ...imported].join(', ')} } from './${first}.js';`;
    for (const name of own) written.add(name);
    const made = Object.entries(texts).map(([name, entry]) => {
      const source = sourceOf(needs.get(entry), common, parts.get(entry).text);
      return `export const ${name} = ${source};`;
    });
    writeFileSync(builtSource(file), `${[head, ...lines, ...made].join('\n')}\n`);
    // V8 would keep all of a text in two bytes a character, in each thread: that is 0.3 MiB.
    if (/\\u(?!00)|[^\0-\xff]/.test(readFileSync(builtSource(file), 'utf8')))
      throw new Error('The code of the threads has a character beyond U+00FF');
  }
}

/** The names of the parts that a text needs, those of them that come before it, and the globals that it may use. */
function needsOf(entry, parts) {
  const needed = partsOf(entry, parts);
  const names = globalsIn([...needed, entry].map((part) => parts.get(part).text).join(''));
  return { needed, names };
}

/** The code of a function that returns a text. @param common the globals that all texts may use: their names stand in the files only once */
function sourceOf({ needed, names }, common, text) {
  const others = names.filter((name) => !common.includes(name));
  const given = [
    others.length === 0 ? 'common' : `\`\${common},${others}\``,
    `{ ${needed.map(variableOf).join(', ')} }`,
    JSON.stringify(text),
  ];
  return `script(${given.join(', ')})`;
}

/**
 * Returns a function that returns the text of a script, and makes it when first called. The code that runs tasks must not depend on what tasks do
 * to globals: it reads each global that it may use before any task module is loaded, and then uses only these values.
 * @param names the globals
 * @param parts the texts that the script's own text needs, by name
 */
function script(names, parts, text) {
  let made;
  return () => {
    if (made !== undefined) return made;
    const before = Object.entries(parts).map(([name, part]) => `const ${name}=(()=>{${part}})();`);
    const values = names.replace(/\w+/g, 'globalThis.$&');
    // Node.js makes these globals for a text that it is given to run, and a task module would take them for its own. Those of a preload are left alone.
    const own =
      'if(/eval]$/.test(globalThis.__filename))for(const name of["require","module","exports","__filename","__dirname"])delete globalThis[name];';
    // A thread inherits `--input-type=module` from its parent, and then has no `require`; `getBuiltinModule` works either way.
    made = `${own}((require,${names})=>{"use strict";${before.join('')}(()=>{${text}})()})(globalThis.process.getBuiltinModule,${values});`;
    return made;
  };
}

/** The globals whose names occur in a text, in any role. */
function globalsIn(code) {
  const words = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  return Object.getOwnPropertyNames(globalThis).filter((name) => words.has(name) && !NOT_TAKEN.has(name));
}

/**
 * Globals that a script does not take: the first ones cannot be replaced; the next names are not allowed as parameters; Node.js loads
 * `performance` when it is first named, which delays the start of a thread; and `--eval` makes globals of the builtin modules.
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

/** The parts that an entry imports, each after those that it imports itself. */
function partsOf(entry, parts, found = new Set()) {
  for (const name of parts.get(entry).imports) {
    partsOf(name, parts, found);
    found.add(name);
  }
  return [...found];
}

/** The names that esbuild gave to parts, in the order in which they were first needed. */
const chunks = [];

/** The variable of a shared part, in the file and in the script: a number in place of esbuild's name, which is long and stands there many times. */
function variableOf(name) {
  if (!chunks.includes(name)) chunks.push(name);
  return `part${chunks.indexOf(name)}`;
}

/** Turns a module of a thread into a part of its script. `imports`: the parts that it needs, which come before it. */
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
