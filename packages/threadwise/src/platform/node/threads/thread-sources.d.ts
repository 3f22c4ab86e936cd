/**
 * Each returns the text of coordinator-entry.ts, or of one of the entries of `../../process/`, with all it imports, as one script. Written into
 * dist by scripts/build-threads.mjs.
 */
export declare function coordinatorSource(): string;
export declare function processSource(): string;
export declare function relaySource(): string;
