/** Returns the text of worker-entry.ts with all it imports, as one script. Written into dist by scripts/build-threads.mjs. */
export declare function workerSource(): string;
