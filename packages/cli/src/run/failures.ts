/** Remembers which inputs failed, in constant memory: the first ones in full, the others as a number. */

import type { BatchResult, DescribedError } from './work/batch.js';
import { cut, errorLine, shownValue } from './work/described-error.js';

const MAX_LISTED = 20;
const MAX_INPUT_CHARACTERS = 160;
const MAX_MESSAGE_CHARACTERS = 600;

export class Failures {
  #count = 0;
  readonly #lines: string[] = [];

  get count(): number {
    return this.#count;
  }

  note({ batch, failures }: BatchResult): void {
    for (const { at, error } of failures) {
      this.#count += 1;
      if (this.#lines.length < MAX_LISTED) this.#lines.push(lineOf(batch.inputs[at]!.value, error));
    }
  }

  /** Empty if there was none. `earlier`: those of former runs of the journal, known only as a number. */
  report(earlier: number): string {
    if (this.#count + earlier === 0) return '';
    const more = this.#count - this.#lines.length;
    return [
      `${inputs(this.#count + earlier)} failed:`,
      ...this.#lines,
      ...(more > 0 ? [`  and ${more} more`] : []),
      ...(earlier > 0
        ? [`  ${this.#count === 0 ? '' : 'and '}${earlier} in earlier runs of the journal`]
        : []),
      '',
    ].join('\n');
  }
}

function inputs(count: number): string {
  return `${count} ${count === 1 ? 'input' : 'inputs'}`;
}

function lineOf(input: unknown, error: DescribedError): string {
  const message = cut(errorLine(error), MAX_MESSAGE_CHARACTERS).replaceAll('\n', '\n    ');
  return `  ${cut(shownValue(input), MAX_INPUT_CHARACTERS)}: ${message}`;
}
