// Runs each job in this thread and then on threads, and measures both.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createPool } from 'threadwise';
import * as tasks from './tasks.js';

const taskModule = new URL('./tasks.js', import.meta.url);
/** Files with more bytes are left out: one of them would be most of a job that is about many files. */
const LARGEST = 64 * 1024;
/** Folders that are installed, built or hidden are no part of the project. */
const SKIPPED = /^(node_modules|dist|\..*)$/;

/** The small files below a folder. Each is read once, so that both ways of doing a job find it in the system's cache. */
export function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (SKIPPED.test(entry.name)) return [];
    if (entry.isDirectory()) return filesBelow(path);
    if (!entry.isFile() || statSync(path).size > LARGEST) return [];
    readFileSync(path);
    return [path];
  });
}

/**
 * Does one job in both ways. Throws unless both have the same results.
 * @param task the name of a function of tasks.js
 * @param seconds how long one thread works at most: the job is as many files as that allows
 * @returns how many calls there were, and how long each way took: `ms` by the clock, `cpuMs` of CPU time over all threads
 */
export async function measure({ task, paths, threads, seconds }) {
  const expected = [];
  const inline = stopwatch();
  for (const path of paths) {
    expected.push(tasks[task](path));
    if (inline().ms > seconds * 1000) break;
  }
  const inOneThread = inline();

  const whole = stopwatch();
  const pool = createPool(taskModule, { threads });
  try {
    await pool.ready;
    const start = whole();
    let at = 0;
    for await (const result of pool.map(task, paths.slice(0, expected.length))) {
      if (result !== expected[at]) throw new Error(`${task} of ${paths[at]}: a thread found something else`);
      at += 1;
    }
    return { calls: expected.length, threads, inline: inOneThread, start, onThreads: whole() };
  } finally {
    await pool.close();
  }
}

function stopwatch() {
  const begin = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { ms: performance.now() - begin, cpuMs: (user + system) / 1000 };
  };
}
