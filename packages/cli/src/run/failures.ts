/** Remembers which inputs failed, in constant memory: the first ones in full, the others as a number. */

import type { BatchResult, DescribedError } from './work/batch.js';
import { cut, errorLine, shownValue } from './work/described-error.js';

const MAX_LISTED = 20;
const MAX_INPUT_CHARACTERS = 160;
const MAX_MESSAGE_CHARACTERS = 600;
const MAX_STACK_LINES = 5;

export class Failures {
  #count = 0;
  readonly #listed: string[] = [];
  /** Of the listed ones: the same place is told once. */
  readonly #stacks = new Set<string>();

  get count(): number {
    return this.#count;
  }

  note({ batch, failures }: BatchResult): void {
    for (const { at, error } of failures) {
      this.#count += 1;
      if (this.#listed.length < MAX_LISTED) this.#listed.push(this.#text(batch.inputs[at]!.value, error));
    }
  }

  /** Empty if there was none. `earlier`: those of former runs of the journal, known only as a number. */
  report(earlier: number): string {
    if (this.#count + earlier === 0) return '';
    const more = this.#count - this.#listed.length;
    return [
      `${inputs(this.#count + earlier)} failed:`,
      ...this.#listed,
      ...(more > 0 ? [`  and ${more} more`] : []),
      ...(earlier > 0
        ? [`  ${this.#count === 0 ? '' : 'and '}${earlier} in earlier runs of the journal`]
        : []),
      '',
    ].join('\n');
  }

  #text(input: unknown, error: DescribedError): string {
    const message = cut(errorLine(error), MAX_MESSAGE_CHARACTERS).replaceAll('\n', '\n    ');
    const line = `  ${cut(shownValue(input), MAX_INPUT_CHARACTERS)}: ${message}`;
    const { stack } = error;
    if (stack === undefined || this.#stacks.has(stack)) return line;
    this.#stacks.add(stack);
    const places = stack.split('\n').slice(0, MAX_STACK_LINES);
    return [line, ...places.map((place) => `      ${cut(place, MAX_MESSAGE_CHARACTERS)}`)].join('\n');
  }
}

function inputs(count: number): string {
  return `${count} ${count === 1 ? 'input' : 'inputs'}`;
}
