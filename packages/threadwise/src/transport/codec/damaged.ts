/** What is thrown when bytes are no value: they were not written by this library, or were overwritten since. */

/** The bytes of a value, or of the book of shapes, make no sense. */
export class DamagedError extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(`Damaged bytes: ${what}`, options);
    this.name = 'DamagedError';
  }
}
