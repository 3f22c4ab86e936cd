// The thread of the published pool: runs the method that a message names, and answers with the message's id.
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
