// Where results are: measurements in git, looks beside it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const fileOf = (folder, experiment) =>
  fileURLToPath(new URL(`./${folder}/${experiment}.json`, import.meta.url));

/** A run that is quick or leaves something out goes where git does not see it, and replaces no measurement. */
export function save(result, isComplete) {
  const path = fileOf(isComplete ? 'results' : '.cache', result.experiment);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(result, undefined, 2)}\n`);
  return path;
}

/** The last complete measurement of an experiment. */
export function load(experiment) {
  return JSON.parse(readFileSync(fileOf('results', experiment), 'utf8'));
}
