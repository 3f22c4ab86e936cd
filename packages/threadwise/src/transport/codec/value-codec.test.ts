/** What arrives through the binary codec equals what structured clone makes of it, whatever the memory is like. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assertSame, cloneOf, cross, graph, memories, pair, plainPair, SPACE } from './value-codec.case.js';
import { memoryOf } from './value-memory.js';
import { FULL, UNKNOWN } from './value-writer.js';

for (const [name, makeMemory] of memories) {
  describe(`in ${name}, what arrives equals a structured clone`, () => {
    const memory = makeMemory();

    test('of graphs of objects, with a book of shapes', () => {
      const both = pair();
      fc.assert(
        fc.property(graph, fc.nat(9), (value, at) => {
          assertSame(cross(value, both, memory, at), cloneOf(value));
        }),
        { numRuns: 500 },
      );
    });

    test('of graphs of objects, without a book', () => {
      const both = plainPair();
      fc.assert(
        fc.property(graph, fc.nat(9), (value, at) => {
          assertSame(cross(value, both, memory, at), cloneOf(value));
        }),
        { numRuns: 200 },
      );
    });
  });
}
void [assert, SPACE, memoryOf, FULL, UNKNOWN];
