// Finds the contenders and the experiments: each file in their folders is one.
import { readdirSync } from 'node:fs';

const urlOf = (folder) => new URL(`./${folder}/`, import.meta.url);

/** The ids of the modules in a folder: the names of the files without their ending. */
function idsIn(folder) {
  return readdirSync(urlOf(folder))
    .filter((name) => name.endsWith('.js'))
    .map((name) => name.slice(0, -'.js'.length))
    .toSorted();
}

async function importOne(folder, id) {
  return (await import(new URL(`${id}.js`, urlOf(folder)))).default;
}

const importAll = (folder) => Promise.all(idsIn(folder).map((id) => importOne(folder, id)));

const ROLES = ['ours', 'published', 'as-published', 'inline', 'bare'];

/**
 * All contenders, ours first.
 * @returns a list of { id, role, package, can, isQuick, open }.
 *   open: `open({ threads, isCold })` returns `{ call(task, argument), close() }`; isCold: does not wait for its threads.
 *   can: what the opened pool offers besides: 'lease' (`lease(byteLength)`), 'transfer' (`call`'s third argument: what moves), 'stats'
 *   (`stats()`), 'placement' (`open` takes `placement`: where calls run), 'isolation' (`open` takes `isolation: 'process'`, and `hasBytes` if
 *   bytes cross then).
 *   isQuick: whether a quick run includes it: one variant of each package
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

/** Loads one experiment and no other: the process of a sample loads only what it needs. */
export function experimentOf(id) {
  const { id: known } = byId(
    idsIn('experiments').map((one) => ({ id: one })),
    id,
  );
  return importOne('experiments', known);
}

/** Returns the item with this id. Throws an error that lists all ids. */
export function byId(all, id) {
  const found = all.find((one) => one.id === id);
  if (found) return found;
  throw new Error(`There is no '${id}'. There are: ${all.map((one) => one.id).join(', ')}`);
}
