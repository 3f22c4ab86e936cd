// The options of an example's command: texts, and whole numbers from 1.
import { parseArgs } from 'node:util';

/**
 * @param numbers by name, their defaults
 * @param texts by name, their defaults; undefined where there is none
 */
export function readOptions(numbers, texts = {}) {
  const ofText = ([name, value]) => [
    name,
    { type: 'string', ...(value === undefined ? {} : { default: String(value) }) },
  ];
  const options = Object.fromEntries(Object.entries({ ...texts, ...numbers }).map(ofText));
  const { values } = parseArgs({ options });
  for (const name of Object.keys(numbers)) {
    values[name] = Number(values[name]);
    if (!Number.isInteger(values[name]) || values[name] < 1)
      throw new Error(`--${name}: a whole number from 1`);
  }
  return values;
}
