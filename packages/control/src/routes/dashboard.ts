/** The dashboard: the files of one folder, and nothing that a path might lead to elsewhere. */
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Handlers } from '../app.js';
import { RequestError, show } from '../errors.js';

const FOLDER = new URL('../../dashboard/', import.meta.url);
const PAGE = 'index.html';
/** What is served, and as what. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export function dashboard() {
  return {
    showDashboard: async (_request, reply) => sendFile(PAGE, reply),
    getAsset: async (request: FastifyRequest, reply) => {
      const { file } = request.params as { file: string };
      return sendFile(file, reply);
    },
  } satisfies Partial<Handlers>;
}

/** Read each time: it is asked for seldom, and need not be kept in a program that does other things. */
async function sendFile(name: string, reply: FastifyReply): Promise<Buffer> {
  const type = TYPES[extname(name)];
  // Only what the folder lists: no name can lead out of it.
  const names = type === undefined ? [] : await readdir(FOLDER).catch(() => []);
  if (type === undefined || !names.includes(name)) {
    throw new RequestError('ERR_CONTROL_NOT_FOUND', `The dashboard has no file ${show(name)}`);
  }
  reply.type(type);
  return readFile(new URL(encodeURIComponent(name), FOLDER));
}
