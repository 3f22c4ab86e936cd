// The thread that looks at the load of the cores now and then: the main thread may be in a synchronous loop.
import os from 'node:os';
import { parentPort } from 'node:worker_threads';

/** The system counts in hundredths of a second. Milliseconds. */
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
