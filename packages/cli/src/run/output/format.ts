/** How results become text. Workers of this machine do it, in parallel, while the results still have their `toJSON` methods. */

export type FormatName = 'ndjson' | 'json' | 'text';
export const formatNames: readonly FormatName[] = ['ndjson', 'json', 'text'];

export interface Format {
  /** One result as text, without what goes around it. Throws if it cannot be written. */
  render(value: unknown): string;
  /** The beginning of the output, in place of the `before` of its first result. */
  readonly open: string;
  readonly before: string;
  readonly after: string;
  readonly close: string;
  /** The whole output if there is no result. */
  readonly empty: string;
}

const lines = { open: '', before: '', after: '\n', close: '', empty: '' };

export const formats: Readonly<Record<FormatName, Format>> = {
  ndjson: { ...lines, render: toJson },
  text: { ...lines, render: toText },
  json: { open: '[\n', before: ',\n', after: '', close: '\n]\n', empty: '[]\n', render: toJson },
};

/** How one input's result is rendered, on its own or together with the input, and with what goes around it. */
export type Render = (input: unknown, result: unknown) => string;

export function createRender(name: FormatName, withInput: boolean): Render {
  const { render, before, after } = formats[name];
  if (!withInput) return (_input, result) => before + render(result) + after;
  return (input, result) => `${before}{"input":${toJson(input)},"result":${toJson(result)}}${after}`;
}

/** JSON.stringify, except that a value without JSON, an iterator or a stream is an error; undefined is `null`. */
function toJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  // As JSON, an iterator or a stream is an object without properties.
  if (text === '{}') mustBeNoStream(value);
  if (text !== undefined) return text;
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(`the result is a ${typeof value}, which cannot be written as JSON`);
  }
  return 'null';
}

/** What `String` makes of a value, except that an iterator or a stream without a text of its own is an error. */
function toText(value: unknown): string {
  const text = String(value);
  if (text.startsWith('[object ')) mustBeNoStream(value);
  return text;
}

function mustBeNoStream(value: unknown): void {
  if (!isStream(value)) return;
  throw new TypeError(
    'the result is an iterator or a stream, whose values are not written; return an array of them',
  );
}

/** Whether the value is an iterator or a stream: something whose values come one by one, and not a list that has them. */
export function isStream(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Symbol.asyncIterator in value || (Symbol.iterator in value && 'next' in value);
}
