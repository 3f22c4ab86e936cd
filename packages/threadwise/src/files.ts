/** `threadwise/files`: reading files as it costs least. A list, and an entry of its own: it is for Node.js, and no browser loads it. */
export type {
  FailedFile,
  FileContent,
  PathSource,
  ReadFileOptions,
  ReadFilesOptions,
} from './files/options.js';
export { readFile, readFiles } from './files/read-files.js';
