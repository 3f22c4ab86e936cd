// Finds the contenders and the experiments: each file in their folders is one.
import { readdirSync } from 'node:fs';

async function importAll(folder) {
  const url = new URL(`./${folder}/`, import.meta.url);
  const names = readdirSync(url).filter((name) => name.endsWith('.js'));
  const modules = await Promise.all(names.toSorted().map((name) => import(new URL(name, url))));
  return modules.map((module) => module.default);
}

const ROLES = ['ours', 'published', 'inline', 'bare'];

/**
 * Every way of running tasks that is compared, ours first.
 * @returns a list of { id, role, package, can, isQuick, open }.
 *   open: `open({ threads, isCold })` gives `{ call(task, argument), close() }`; isCold: without waiting for its threads.
 *   can: what that offers beside: 'lease' (`lease(byteLength)`), 'transfer' (`call`'s third argument: what moves), 'stats'
 *   (`stats()`), 'placement' (`open` takes `placement`: where calls run).
 *   isQuick: whether a quick run has it, which takes one variant of each package
 */
export async function contenders() {
  const files = await importAll('contenders');
  const all = files.flatMap(({ role, package: packageName, can = [], variants, quick }) =>
    Object.entries(variants).map(([id, open], i) => {
      const isQuick = quick === undefined ? i === 0 : id === quick;
      return { id, role, package: packageName, can, isQuick, open };
    }),
  );
  return all.toSorted((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
}

export function experiments() {
  return importAll('experiments');
}

/** The one with this id. Throws an error that lists what there is. */
export function byId(all, id) {
  const found = all.find((one) => one.id === id);
  if (found) return found;
  throw new Error(`There is no '${id}'. There are: ${all.map((one) => one.id).join(', ')}`);
}
