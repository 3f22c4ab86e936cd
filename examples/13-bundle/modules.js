// The program to bundle: TypeScript modules, each of which imports the one before; and the bundler.
import { runInNewContext } from 'node:vm';

/** How many functions a module has besides its exports: about as much text as modules often have. */
const FUNCTIONS = 30;

/** What the program computes: the value of the last module. */
export const valueOf = (count) => (count * (count + 1)) / 2;

/** Makes modules 1 to `count`. The value of each is its number plus the value of the one before. */
export function writeModules(count) {
  return Array.from({ length: count }, (_, i) => {
    const number = i + 1;
    const before = number === 1 ? 'const before = 0;' : `import { value as before } from './module-${i}';`;
    return { name: `module-${number}.ts`, code: `${before}\n${bodyOf(number)}` };
  });
}

function bodyOf(number) {
  const functions = Array.from({ length: FUNCTIONS }, (_, i) =>
    [
      `interface Options${i} { readonly scale?: number; readonly names: readonly string[] }`,
      `function format${i}<T extends Options${i}>(options: T, ...rest: number[]): string {`,
      `  const { scale = ${i}, names } = options satisfies Options${i};`,
      '  return names.map((name: string, at) => name + ": " + (rest[at] ?? 0) * scale!).join(", ") as string;',
      '}',
    ].join('\n'),
  );
  return [
    ...functions,
    `enum Kind { First = ${number}, Second }`,
    'class Sum<T extends number> { constructor(private readonly parts: T[]) {}',
    '  get total(): number { return this.parts.reduce((sum: number, part) => sum + part, 0); } }',
    'export const text: string = format0({ names: ["kind"] }, Kind.Second);',
    'export const value: number = new Sum([before, Kind.First]).total;',
  ].join('\n');
}

/** Makes one script of all modules. Its value is what the last module exports. */
export function bundle(modules) {
  const functions = modules.map(
    ({ name, code }) => `${JSON.stringify(`./${name.slice(0, -3)}`)}(exports, require, module) {\n${code}\n}`,
  );
  return `(() => {
const modules = {
${functions.join(',\n')}
};
const loaded = new Map();
const require = (name) => {
  if (!loaded.has(name)) {
    const module = { exports: {} };
    loaded.set(name, module);
    modules[name](module.exports, require, module);
  }
  return loaded.get(name).exports;
};
return Object.keys(modules).map(require).at(-1);
})()`;
}

export function runBundle(script) {
  return runInNewContext(script).value;
}
