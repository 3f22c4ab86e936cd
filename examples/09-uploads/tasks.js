// What a worker does: a file at a time. Two paths cross and no bytes.
export { compressFile } from './compress.js';
