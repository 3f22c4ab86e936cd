/** Serves the dashboard: only the files of one folder. */
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyReply } from 'fastify';
import type { Handlers } from '../app.js';
import { RequestError, show } from '../errors.js';

const FOLDER = new URL('../../dashboard/', import.meta.url);
const PAGE = 'index.html';
/** The content type by extension; no other file is served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

export function dashboard() {
  return {
    showDashboard: async (_request, reply) => sendFile(PAGE, reply),
    getAsset: async ({ params }, reply) => sendFile((params as { readonly file: string }).file, reply),
  } satisfies Partial<Handlers>;
}

/** Reads the file at each request: requests are rare, and a cache would take memory of the program. */
async function sendFile(name: string, reply: FastifyReply): Promise<Buffer> {
  const type = TYPES[extname(name)];
  // Only a name that the folder lists is read, so no path can lead out of the folder.
  const names = type === undefined ? [] : await readdir(FOLDER);
  if (type === undefined || !names.includes(name)) {
    throw new RequestError('ERR_CONTROL_NOT_FOUND', `The dashboard has no file ${show(name)}`);
  }
  reply.type(type);
  return readFile(new URL(encodeURIComponent(name), FOLDER));
}
