// What the bundles of the library have in common: how modules become the texts of functions, and how these become short.
import { readFileSync } from 'node:fs';
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

/** These parts hand each other values: a variable that is exported would stay what it was. */
export function refuseVariables(files) {
  const found = files.filter((file) => /^export (let|var)\b/m.test(readFileSync(file, 'utf8')));
  if (found.length > 0) throw new Error(`None of these modules may export a variable: ${found.join(', ')}`);
}
