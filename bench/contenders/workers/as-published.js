// What a thread of the published pool runs: whatever method a message names, with an answer that has the message's
// number.
import { parentPort } from 'node:worker_threads';
import * as exported from '../../driver/tasks.js';

const methods = { ...exported };

parentPort.on('message', async ({ id, method, params }) => {
  try {
    parentPort.postMessage({ id, result: await methods[method](params) });
  } catch (error) {
    parentPort.postMessage({ id, error });
  }
});
