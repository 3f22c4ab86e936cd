// Where results are: measurements in git, looks beside it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const fileOf = (folder, experiment) =>
  fileURLToPath(new URL(`../${folder}/${experiment}.json`, import.meta.url));

/**
 * A run that is quick or leaves something out goes where git does not see it, and replaces no measurement.
 * @param into a folder, for one that goes neither here nor there
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

/** The last complete measurement of an experiment; undefined: there is none. */
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
