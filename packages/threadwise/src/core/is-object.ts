/** Whether a value is an object, and no function: one that has properties to look at. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
