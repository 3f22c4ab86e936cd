import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { type ServerSentEvent, serverSentEvents } from './client.js';

async function read(chunks: readonly (string | Uint8Array)[]): Promise<ServerSentEvent[]> {
  const encoder = new TextEncoder();
  async function* stream(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
  }
  return collect(serverSentEvents(stream()));
}

async function collect(events: AsyncIterable<ServerSentEvent>): Promise<ServerSentEvent[]> {
  const all: ServerSentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test('reads names and data', async () => {
  assert.deepEqual(await read(['event: stats\ndata: {"a":1}\n\nevent: error\ndata: 2\n\n']), [
    { event: 'stats', data: '{"a":1}' },
    { event: 'error', data: '2' },
  ]);
});

test('without a name it is a message, and the name of one event is not that of the next', async () => {
  assert.deepEqual(await read(['event: a\ndata: 1\n\ndata: 2\n\n']), [
    { event: 'a', data: '1' },
    { event: 'message', data: '2' },
  ]);
});

test('several lines of data are one text; one blank behind the colon is not part of it', async () => {
  assert.deepEqual(await read(['data:one\ndata:  two\ndata\n\n']), [
    { event: 'message', data: 'one\n two\n' },
  ]);
});

test('comments, other fields and events without data are passed over', async () => {
  assert.deepEqual(await read([': alive\n\nid: 7\nretry: 100\nevent: x\n\ndata: 1\n: in between\n\n']), [
    { event: 'message', data: '1' },
  ]);
});

test('an event that was not ended is dropped', async () => {
  assert.deepEqual(await read(['data: 1\n\ndata: 2\n']), [{ event: 'message', data: '1' }]);
});

test('a byte order mark at the beginning is not part of a name', async () => {
  assert.deepEqual(await read([new Uint8Array([0xef, 0xbb, 0xbf]), 'data: 1\n\n']), [
    { event: 'message', data: '1' },
  ]);
});

test('a line that never ends is given up', async () => {
  const chunk = new Uint8Array(1024 * 1024).fill(0x61);
  await assert.rejects(read(Array.from({ length: 65 }, () => chunk)), RangeError);
});

/** Any text without line ends, with characters of one to four bytes. */
const line = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n]/g, ''));
const name = fc.constantFrom('stats', 'worker:exit', 'pool:size', 'ä€😀');
const lineEnd = fc.constantFrom('\n', '\r\n');

const written = fc.record({
  event: name,
  lines: fc.array(line, { minLength: 1, maxLength: 3 }),
  lineEnd,
  comment: line,
});

test('however the bytes are cut into chunks, the events are the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(written), fc.array(fc.nat()), async (events, cuts) => {
      const text = events
        .map(({ event, lines, lineEnd: end, comment }) =>
          [`:${comment}`, `event: ${event}`, ...lines.map((each) => `data: ${each}`), '', ''].join(end),
        )
        .join('');
      const bytes = new TextEncoder().encode(text);
      const points = [...new Set(cuts.map((at) => at % (bytes.length + 1)))].sort((a, b) => a - b);
      const chunks = [0, ...points].map((from, i) => bytes.subarray(from, points[i] ?? bytes.length));
      const expected = events.map(({ event, lines }) => ({ event, data: lines.map(wellFormed).join('\n') }));
      assert.deepEqual(await read(chunks), expected);
    }),
    { numRuns: 500 },
  );
});

/** Encoding turns a lone surrogate into a replacement character. */
function wellFormed(text: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}
