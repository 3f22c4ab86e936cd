// What a bare thread runs: the tasks, one after the other.
import { parentPort } from 'node:worker_threads';
import * as exported from '../../driver/tasks.js';

const tasks = { ...exported };
let last = Promise.resolve();
parentPort.on('message', ([name, argument]) => {
  last = last.then(async () => parentPort.postMessage(await tasks[name](argument)));
});
