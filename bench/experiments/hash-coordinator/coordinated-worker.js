// A worker of the article that waits without blocking: its event loop stays alive, so that its utilisation can be measured.
import { once } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { hashTimed } from '../../driver/tasks.js';
import { changed, FREE, takeTask } from '../hash-direct/segments.js';

const [port] = await once(parentPort, 'message');
// This listener keeps the thread alive: waiting for a lock does not.
port.on('message', async ({ data, lock }) => {
  const segment = { data: new Uint8Array(data), lock: new Int32Array(lock) };
  port.postMessage('ready');
  for (;;) {
    await changed(segment.lock, FREE);
    parentPort.postMessage(takeTask(segment, hashTimed));
  }
});
