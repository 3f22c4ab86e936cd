// A server that takes files and compresses them in the background: POST /uploads, then GET /uploads/<id>.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The largest upload, in bytes: it is compressed in memory. */
const MAX_BYTES = 32 * 2 ** 20;

/** Returns a server that does not listen yet. @param compress compresses a file into another, given both paths; may return a promise */
export function buildServer({ folder, compress, maxBytes = MAX_BYTES }) {
  /** For each id the promise of the compressed file's path. */
  const uploads = new Map();

  async function post(request, response) {
    if (Number(request.headers['content-length']) > maxBytes) throw new TooLarge(maxBytes);
    const id = randomUUID();
    await receive(request, join(folder, id), maxBytes);
    answer(response, 202, { id });
    const done = compressed(id);
    done.catch(() => {}); // the request for this upload gets the error
    uploads.set(id, done);
  }

  async function compressed(id) {
    const [from, to] = [join(folder, id), join(folder, `${id}.br`)];
    try {
      await compress(from, to);
      return to;
    } finally {
      await rm(from, { force: true });
    }
  }

  async function get(id, response) {
    if (!uploads.has(id)) return answer(response, 404, { error: `There is no upload '${id}'` });
    const path = await uploads.get(id);
    response.writeHead(200, { 'content-encoding': 'br' });
    await pipeline(createReadStream(path), response);
  }

  return createServer(async (request, response) => {
    const [, root, id] = request.url.split('/');
    try {
      if (root === 'uploads' && request.method === 'POST' && id === undefined) await post(request, response);
      else if (root === 'uploads' && request.method === 'GET') await get(id, response);
      else answer(response, 404, { error: 'There is POST /uploads and GET /uploads/<id>' });
    } catch (error) {
      if (response.headersSent) response.destroy();
      else answer(response, error.status ?? 500, { error: error.message });
    }
  });
}

/** Writes the body to a file as it comes. If it ends early or is too long, no file is left. */
async function receive(request, path, maxBytes) {
  try {
    // Closes the file before it fails. A pipeline into a write stream fails earlier: the file could be opened after it was removed.
    await writeFile(path, limited(request, maxBytes), { flag: 'wx' });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function* limited(request, maxBytes) {
  let bytes = 0;
  // The connection stays open if the body is too long, so that the client gets an answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new TooLarge(maxBytes);
    yield chunk;
  }
}

class TooLarge extends Error {
  status = 413;
  constructor(maxBytes) {
    super(`More than ${maxBytes} bytes`);
  }
}

function answer(response, status, body) {
  // The rest of a refused body is still in the connection, so it cannot be used again.
  if (status === 413) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
