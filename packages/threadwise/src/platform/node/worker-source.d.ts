/** The text of worker-entry.ts and all it imports, as one script. Written into dist by scripts/build-worker.mjs. */
export declare const workerSource: string;
