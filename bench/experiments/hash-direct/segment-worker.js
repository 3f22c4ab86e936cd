// A worker of the article: sleeps until its lock changes, hashes what is in its segment, and posts the digest.
import { parentPort, workerData } from 'node:worker_threads';
import { hashTimed } from '../../driver/tasks.js';
import { FREE, takeTask, waitForChange } from './segments.js';

const segment = { data: new Uint8Array(workerData.data), lock: new Int32Array(workerData.lock) };

for (;;) {
  waitForChange(segment.lock, FREE);
  parentPort.postMessage(takeTask(segment, hashTimed));
}
