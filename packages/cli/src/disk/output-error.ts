/** What is asked for cannot be written: told without a stack, exit code 1. */

export class OutputError extends Error {
  override readonly name = 'OutputError';
}
