// What a worker does: searches one block after the other, until some worker has found the word.
import { Counter } from 'threadwise/sync';
import { BLOCK, searchBlock, wordCount } from './search.js';

/** @returns the word if this worker found it, and how many blocks it searched */
export function search(digest, length, counter) {
  const next = Counter.from(counter);
  const blocks = Math.ceil(wordCount(length) / BLOCK);
  for (let searched = 0; ; searched++) {
    const block = next.add();
    if (block >= blocks) return { searched };
    const word = searchBlock(digest, length, block);
    if (word === undefined) continue;
    // Leaves no blocks for the other workers, which ends them.
    next.value = blocks;
    return { word, searched: searched + 1 };
  }
}
