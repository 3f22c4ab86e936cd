// Reads the options of an example's command: texts, and whole numbers from 1.
import { parseArgs } from 'node:util';

/**
 * @param numbers the default of each option that is a number
 * @param texts the default of each option that is a text; undefined: it has none
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
