/**
 * The texts of worker-entry.ts and coordinator-entry.ts, and of the entries of `../process/`, with all they import, each as one script.
 * Written into dist by scripts/build-threads.mjs.
 */
export declare const workerSource: string;
export declare const coordinatorSource: string;
export declare const processSource: string;
export declare const relaySource: string;
export declare const threadSource: string;
