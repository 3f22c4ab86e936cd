// Saves and loads results: complete measurements where git has them, all others beside that.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const fileOf = (folder, experiment) =>
  fileURLToPath(new URL(`../${folder}/${experiment}.json`, import.meta.url));

/**
 * Saves a run that is quick or incomplete where git ignores it, so that it replaces no measurement.
 * @param into a folder in which to save instead
 */
export function save(result, { isComplete, into }) {
  const path =
    into === undefined
      ? fileOf(isComplete ? 'results' : '.cache', result.experiment)
      : join(resolve(into), `${result.experiment}.json`);
  mkdirSync(dirname(path), { recursive: true });
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
