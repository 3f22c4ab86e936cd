// What the bundles of the library share: turning modules into the texts of functions, and minifying them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { minifySync } from 'vite';

/** Replacements that shorten the bundles, which every process and thread parses: the minifier turns `Infinity` into `1/0`. */
export const SHORTER = { 'Number.POSITIVE_INFINITY': 'Infinity' };

/** Turns a module into the text of a function: `required` maps an import's name to an expression; the exports follow `handOn`. */
export function withoutModules(source, required, handOn) {
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
 * Removes whitespace, comments and the names of variables, because every thread and process parses this. The names of functions, classes
 * and methods stay, for profiles and debuggers: private methods, whose names the minifier would shorten, are public while it runs.
 */
export function minified(text, inputMap) {
  if (text.includes(NOT_PRIVATE)) throw new Error(`The code has the letter ${NOT_PRIVATE}`);
  // Private methods, and private fields that hold a function.
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

/** A letter that does not occur in the code. */
const NOT_PRIVATE = 'ƒ';

/** Throws if a shared module exports a variable: the parts of a build copy values, so they would not see it change. */
export function refuseVariables({ outputs }) {
  const shared = Object.values(outputs).filter(
    ({ entryPoint, inputs }) => entryPoint === undefined && inputs,
  );
  const files = shared.flatMap(({ inputs }) => Object.keys(inputs)).filter((path) => existsSync(path));
  const found = files.filter((file) => /^export (let|var)\b/m.test(readFileSync(file, 'utf8')));
  if (found.length > 0) throw new Error(`None of these modules may export a variable: ${found.join(', ')}`);
}

/**
 * A plugin that leaves groups of modules out of the entries that import them, to be loaded when they are first called. Each group is an
 * entry. A module outside a group that imports from it gets, for each exported function and class, a function of the same effect: it calls
 * `load_<group>()`, which must return the exports of the group's entry. So nothing else can be imported from a group, and `instanceof` does
 * not work with its classes.
 * @param groups the modules of each group, without their ending
 * @param ahead the path of a module that is loaded before any group
 */
export function loadLater(groups, folder, ahead) {
  const groupOf = new Map(
    Object.entries(groups).flatMap(([group, names]) =>
      names.map((name) => [fileURLToPath(new URL(`${name}.ts`, folder)), group]),
    ),
  );
  const entries = new RegExp(`^(${Object.keys(groups).join('|')})$`);
  const setup = ({ onResolve, onLoad }) => {
    onResolve({ filter: entries }, ({ path }) => ({ path, namespace: 'group' }));
    onLoad({ filter: /./, namespace: 'group' }, ({ path: group }) => {
      const files = [...groupOf.keys()].filter((file) => groupOf.get(file) === group);
      const own = files.map((file) => `export { ${callable(file)} } from ${JSON.stringify(file)};`);
      const contents = [...own, `export * from ${JSON.stringify(ahead)};`].join('\n');
      return { contents, resolveDir: fileURLToPath(folder) };
    });
    onResolve({ filter: /^\./ }, ({ path, importer }) => {
      const file = join(dirname(importer), path.replace(/\.js$/, '.ts'));
      const group = groupOf.get(file);
      if (group === undefined || groupOf.get(importer) === group) return undefined;
      // A relative path: the source map of what is published has it.
      return {
        path: relative(fileURLToPath(folder), file),
        namespace: 'called',
        pluginData: { file, group },
      };
    });
    onLoad({ filter: /./, namespace: 'called' }, ({ pluginData: { file, group } }) => {
      const stubs = callable(file).map((name) => `export const ${name} = called('${name}');`);
      return { contents: [`import { called } from 'called:${group}';`, ...stubs].join('\n') };
    });
    onResolve({ filter: /^called:/ }, ({ path }) => ({ path, namespace: 'caller' }));
    onLoad({ filter: /./, namespace: 'caller' }, ({ path }) => ({
      contents: `export const called = (name) => function (...args) {
        const real = load_${path.slice('called:'.length)}()[name];
        return new.target ? new real(...args) : real(...args);
      };`,
    }));
  };
  return { name: 'load later', setup };
}

/** The functions and classes that a module exports. */
function callable(file) {
  const exported = /^export (?:async )?(?:function\*? |class )(\w+)/gm;
  return Array.from(readFileSync(file, 'utf8').matchAll(exported), ([, name]) => name);
}
