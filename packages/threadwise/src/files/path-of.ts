/** What was given as a path, as a path. */
import { fileURLToPath } from 'node:url';
import { show, ThreadwiseError } from '../core/options/errors.js';

/** Throws ERR_OPTION for what cannot be one; whether there is such a file is another question. */
export function pathOf(given: unknown): string {
  if (typeof given === 'string') return given;
  if (given instanceof URL && given.protocol === 'file:') return fileURLToPath(given);
  const what = given instanceof URL ? show(given.href) : show(given);
  throw new ThreadwiseError('ERR_OPTION', `Expected a path or a file URL, got ${what}`);
}
