// The thread that reads the load of the cores at intervals: the main thread may be in a synchronous loop.
import os from 'node:os';
import { parentPort } from 'node:worker_threads';

/** How many milliseconds pass between two readings; the system counts in hundredths of a second. */
const EVERY_MS = 100;

const look = () =>
  os.cpus().map(({ times: { idle, ...busy } }) => ({
    idle,
    busy: Object.values(busy).reduce((sum, ms) => sum + ms, 0),
  }));

const looks = [look()];
const timer = setInterval(() => looks.push(look()), EVERY_MS);
parentPort.once('message', () => {
  clearInterval(timer);
  looks.push(look());
  parentPort.postMessage(looks);
});
parentPort.postMessage('ready');
