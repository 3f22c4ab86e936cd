/**
 * Module hooks (https://nodejs.org/api/module.html#customization-hooks) that give the app a replacement for each module whose functions are
 * offloaded: it has all exports of that module, with those functions replaced. The hooks run on a thread of their own, where `next` returns
 * a promise, or on the calling one.
 */

import type { OffloadTarget } from '../../measure/measure.js';

export interface HookTarget extends OffloadTarget {
  readonly hasDefault: boolean;
}

/** The URL of the module itself, past these hooks: the pool's threads load it by the same URL. */
export function originalOf(url: string): string {
  return `${url}?threadwise=original`;
}

const REPLACED = '?threadwise=offloaded';

const RUNTIME = new URL('./calls.js', import.meta.url).href;

let targets: readonly HookTarget[] = [];

export function initialize(given: readonly HookTarget[]): void {
  targets = given;
}

type Next<R> = (of: string, context: unknown) => R | Promise<R>;

export function resolve(
  specifier: string,
  context: { readonly conditions?: readonly string[] },
  next: Next<{ readonly url: string }>,
): unknown {
  const given = next(specifier, context);
  // install.ts handles `require`.
  if (context.conditions?.includes('require') === true) return given;
  return given instanceof Promise ? given.then(replaced) : replaced(given);
}

function replaced(resolved: { readonly url: string }): object {
  const target = targets.find(({ url }) => url === resolved.url);
  if (target === undefined) return resolved;
  return { ...resolved, url: target.url + REPLACED, format: 'module', shortCircuit: true };
}

export function load(url: string, context: unknown, next: Next<unknown>): unknown {
  const target = targets.find((each) => url === each.url + REPLACED);
  if (target === undefined) return next(url, context);
  return { format: 'module', source: sourceOf(target), shortCircuit: true };
}

/** The source of the replacement. Its own exports win over those of `export *`. */
function sourceOf({ url, names, hasDefault }: HookTarget): string {
  const [original, runtime] = [originalOf(url), RUNTIME].map((each) => JSON.stringify(each));
  const replacements = names.map((name, i) => {
    const text = JSON.stringify(name);
    return `const f${i} = offloaded(${JSON.stringify(url)}, ${text}, original[${text}]); export { f${i} as ${text} };`;
  });
  return [
    `import * as original from ${original};`,
    `import { offloaded, withOffloaded } from ${runtime};`,
    `export * from ${original};`,
    hasDefault && !names.includes('default')
      ? `export default withOffloaded(${JSON.stringify(url)}, ${JSON.stringify(names)}, original.default, original);`
      : '',
    ...replacements,
  ].join('\n');
}
