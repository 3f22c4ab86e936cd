/**
 * Reads a stream of server-sent events, as the HTML standard defines them:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 * Without `id` and `retry`, which are for reconnecting.
 */

export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** More than any snapshot of a pool: beyond it, what answers is no event stream. In characters. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/** An event that has not ended when the stream does is dropped. */
export async function* serverSentEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  const lines = new LineSplitter();
  const block = new Block();
  for await (const chunk of chunks) {
    for (const line of lines.push(decoder.decode(chunk, { stream: true }))) {
      const event = block.push(line);
      if (event !== undefined) yield event;
    }
    if (lines.pending + block.length > MAX_EVENT_LENGTH) {
      throw new RangeError(`an event is longer than ${MAX_EVENT_LENGTH} characters`);
    }
  }
}

/** Lines end in \n, \r\n or \r, and any of them may be cut in two by a chunk. */
class LineSplitter {
  /** The beginning of the line that has not ended. In parts, so that a long one is joined once. */
  #parts: string[] = [];
  #afterReturn = false;
  pending = 0;

  *push(text: string): Generator<string> {
    if (text === '') return;
    // The second half of a \r\n whose first half ended a line already.
    const rest = this.#afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#afterReturn = text.endsWith('\r');
    let start = 0;
    for (const { 0: end, index } of rest.matchAll(/\r\n|\n|\r/g)) {
      yield this.#take(rest.slice(start, index));
      start = index + end.length;
    }
    this.#keep(rest.slice(start));
  }

  #take(last: string): string {
    const line = this.#parts.join('') + last;
    this.#parts = [];
    this.pending = 0;
    return line;
  }

  #keep(part: string): void {
    this.#parts.push(part);
    this.pending += part.length;
  }
}

/** The lines of one event. */
class Block {
  #event = '';
  #data: string[] = [];
  length = 0;

  /** Returns the event that the line ends. */
  push(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#end();
    const colon = line.indexOf(':');
    // A comment, such as one that keeps the connection alive.
    if (colon === 0) return undefined;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    this.length += line.length;
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    return undefined;
  }

  #end(): ServerSentEvent | undefined {
    const event = { event: this.#event || 'message', data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    this.length = 0;
    return isEmpty ? undefined : event;
  }
}
