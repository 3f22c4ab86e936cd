// What the bundles of the library have in common: how modules become the texts of functions, and how these become short.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { minifySync } from 'vite';

/** The text of a module as that of a function: what it imports it asks for, by what `required` makes of a name; what it exports follows on `handOn`. */
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
 * Without space, comments and names of variables, because every thread and process parses this. The names of functions, classes and methods stay, for profiles
 * and debuggers: those of private methods, which the minifier would shorten, are no private names while it looks.
 */
export function minified(text, inputMap) {
  if (text.includes(NOT_PRIVATE)) throw new Error(`The code has the letter ${NOT_PRIVATE}`);
  // Methods, and fields that are given a function.
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

/** A letter that the code does not have. */
const NOT_PRIVATE = 'ƒ';

/** The parts of a build hand each other values: a variable that one of them exports would stay what it was. */
export function refuseVariables({ outputs }) {
  const shared = Object.values(outputs).filter(
    ({ entryPoint, inputs }) => entryPoint === undefined && inputs,
  );
  const files = shared.flatMap(({ inputs }) => Object.keys(inputs)).filter((path) => existsSync(path));
  const found = files.filter((file) => /^export (let|var)\b/m.test(readFileSync(file, 'utf8')));
  if (found.length > 0) throw new Error(`None of these modules may export a variable: ${found.join(', ')}`);
}

/**
 * A plugin that leaves groups of modules out of the entries that import them, to be loaded when they are first called. Each group is an entry. Whoever
 * imports a module of a group and is not in it gets, for each function and class of the module, a function that calls `load_<group>()`, which
 * has to return what the group's entry exports, and does the same. So nothing else can be imported from there, and nobody may ask
 * whether an object is an instance of such a class.
 * @param groups the modules of each group, without their ending
 * @param ahead a module that each group finds loaded
 */
export function loadLater(groups, ending, folder, ahead) {
  const groupOf = new Map(
    Object.entries(groups).flatMap(([group, names]) =>
      names.map((name) => [fileURLToPath(new URL(`${name}${ending}`, folder)), group]),
    ),
  );
  const entries = new RegExp(`^(${Object.keys(groups).join('|')})$`);
  const setup = ({ onResolve, onLoad }) => {
    onResolve({ filter: entries }, ({ path }) => ({ path, namespace: 'group' }));
    onLoad({ filter: /./, namespace: 'group' }, ({ path: group }) => {
      const files = [...groupOf.keys()].filter((file) => groupOf.get(file) === group);
      const own = files.map((file) => `export { ${callable(file)} } from ${JSON.stringify(file)};`);
      const others = ahead === undefined ? [] : [`export * from ${JSON.stringify(ahead)};`];
      return { contents: [...own, ...others].join('\n'), resolveDir: fileURLToPath(folder) };
    });
    onResolve({ filter: /^\./ }, ({ path, importer }) => {
      const file = join(dirname(importer), path.replace(/\.js$/, ending));
      const group = groupOf.get(file);
      if (group === undefined || groupOf.get(importer) === group) return undefined;
      return { path: file, namespace: 'called', pluginData: group };
    });
    onLoad({ filter: /./, namespace: 'called' }, ({ path, pluginData: group }) => {
      const call = `const called = (name) => function (...args) {
        const real = load_${group}()[name];
        return new.target ? new real(...args) : real(...args);
      };`;
      const stubs = callable(path).map((name) => `export const ${name} = called('${name}');`);
      return { contents: [call, ...stubs].join('\n') };
    });
  };
  return { name: 'load later', setup };
}

/** The functions and classes that a module exports. */
function callable(file) {
  const exported = /^export (?:async )?(?:function\*? |class )(\w+)/gm;
  return Array.from(readFileSync(file, 'utf8').matchAll(exported), ([, name]) => name);
}
