// Saves and loads results: complete measurements where git has them, all others beside that.
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const fileOf = (folder, experiment) =>
  fileURLToPath(new URL(`../${folder}/${experiment}.json`, import.meta.url));

/**
 * A run that is quick or incomplete is saved where git ignores it, so that it replaces no measurement.
 * @param into a folder in which to save instead
 */
function placeOf(experiment, { isComplete, into }) {
  if (into !== undefined) return join(resolve(into), `${experiment}.json`);
  return fileOf(isComplete ? 'results' : '.cache', experiment);
}

/** To be called before anything is measured. Makes the folder, and throws if nothing can be saved in it. */
export function openFolder(experiment, options) {
  const folder = dirname(placeOf(experiment, options));
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.W_OK);
}

export function save(result, options) {
  const path = placeOf(result.experiment, options);
  writeFileSync(path, `${JSON.stringify(result, undefined, 2)}\n`);
  return path;
}

/** The last complete measurement of an experiment; undefined if there is none. */
export function load(experiment) {
  const path = fileOf('results', experiment);
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new Error(`${path}: expected a saved measurement, got what is no JSON: ${cause.message}`, {
      cause,
    });
  }
}
