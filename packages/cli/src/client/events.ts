/** Reads a stream of server-sent events. */

import { createParser } from 'eventsource-parser';

export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** More than any snapshot of a pool: beyond it, what answers is no event stream. In characters. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/** An event that has not ended when the stream does is dropped. */
export async function* serverSentEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let events: ServerSentEvent[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: ({ event, data }) => events.push({ event: event || 'message', data }),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw new RangeError(error.message);
    },
  });
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events;
    events = [];
  }
}
