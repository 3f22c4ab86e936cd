// What a worker does: compresses one file at a time. Two paths cross, and no bytes.
export { compressFile } from './compress.js';
