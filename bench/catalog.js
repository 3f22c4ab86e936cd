// Finds the contenders and the experiments: each file in their folders is one.
import { readdirSync } from 'node:fs';

const urlOf = (folder) => new URL(`./${folder}/`, import.meta.url);

/** The modules of a folder, by id: what their names are without their ending. */
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
 * Every way of running tasks that is compared, ours first.
 * @returns a list of { id, role, package, can, isQuick, open }.
 *   open: `open({ threads, isCold })` gives `{ call(task, argument), close() }`; isCold: without waiting for its threads.
 *   can: what that offers beside: 'lease' (`lease(byteLength)`), 'transfer' (`call`'s third argument: what moves), 'stats'
 *   (`stats()`), 'placement' (`open` takes `placement`: where calls run), 'isolation' (`open` takes `isolation: 'process'`).
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

/** One of them and no other: what a sample's process does not need it does not load. */
export function experimentOf(id) {
  const { id: known } = byId(
    idsIn('experiments').map((one) => ({ id: one })),
    id,
  );
  return importOne('experiments', known);
}

/** The one with this id. Throws an error that lists what there is. */
export function byId(all, id) {
  const found = all.find((one) => one.id === id);
  if (found) return found;
  throw new Error(`There is no '${id}'. There are: ${all.map((one) => one.id).join(', ')}`);
}
