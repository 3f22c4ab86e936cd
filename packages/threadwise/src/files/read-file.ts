/** One file, read as it costs least: for a task that gets a path. */
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ReadFileOptions } from './contract.js';
import { fileError, mustBeRegular, throwIfAborted } from './file-error.js';
import { loopBudget } from './loop-budget.js';
import { type ResolvedReadFile, resolveReadFile } from './options.js';
import { pathOf } from './path-of.js';
import { readFileLater } from './read-async.js';
import { readFileNow } from './read-sync.js';

/**
 * The whole of a regular file, with memory of its own. Synchronously if it is small, within the same budget of event loop time
 * as `readFiles`; else by libuv's threads. Rejects with ERR_FILE_READ (`path`, `cause`), ERR_TASK_ABORTED, ERR_OPTION.
 */
export async function readFile(given: string | URL, options?: ReadFileOptions): Promise<Uint8Array> {
  const resolved = resolveReadFile(options);
  const path = pathOf(given);
  throwIfAborted(resolved.signal);
  const bytes = await read(path, resolved);
  throwIfAborted(resolved.signal);
  return bytes;
}

async function read(
  path: string,
  { syncBytes, loopBudgetMs, signal }: ResolvedReadFile,
): Promise<Uint8Array> {
  try {
    if (syncBytes > 0) {
      while (loopBudget.isSpent(loopBudgetMs)) await loopBudget.nextTurn;
      loopBudget.begin();
      const stats = statSync(path);
      mustBeRegular(stats);
      const bytes = stats.size > syncBytes ? undefined : readFileNow(path, syncBytes);
      if (bytes !== undefined) return bytes;
    } else {
      mustBeRegular(await stat(path));
    }
    return await readFileLater(path, () => signal?.aborted === true);
  } catch (cause) {
    throw fileError(path, cause);
  }
}
