// Searches in one thread and on several, which must find the same word.
import { createPool } from 'threadwise';
import { Counter } from 'threadwise/sync';
import { timed } from '../timing.js';
import { BLOCK, searchBlock, sha1, wordCount } from './search.js';

/** @returns the word, milliseconds `alone` and `together`, and how many blocks of how many the threads searched */
export async function compare({ digest, length, threads }) {
  const [expected, alone] = await timed(() => plainly(digest, length));
  const pool = createPool(new URL('./tasks.js', import.meta.url), { threads });
  try {
    await pool.ready;
    const [found, together] = await timed(() => onThreads(pool, { digest, length, threads }));
    if (found.word !== expected) throw new Error(`The threads found ${found.word}, one thread ${expected}`);
    if (found.word !== undefined && sha1(found.word) !== digest)
      throw new Error('The word has another digest');
    return { ...found, alone, together, blocks: Math.ceil(wordCount(length) / BLOCK) };
  } finally {
    await pool.close();
  }
}

function plainly(digest, length) {
  for (let block = 0; block * BLOCK < wordCount(length); block++) {
    const word = searchBlock(digest, length, block);
    if (word !== undefined) return word;
  }
  return undefined;
}

async function onThreads(pool, { digest, length, threads }) {
  const counter = new Counter();
  const searches = Array.from({ length: threads }, () =>
    pool.run('search', [digest, length, counter.buffer]),
  );
  const ends = await Promise.all(searches);
  return {
    word: ends.find(({ word }) => word !== undefined)?.word,
    searched: ends.reduce((sum, { searched }) => sum + searched, 0),
  };
}
