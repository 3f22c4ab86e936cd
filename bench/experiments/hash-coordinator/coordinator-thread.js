// The article's coordinator: a thread that has the queue, the list of free workers and their segments.
import { parentPort, workerData } from 'node:worker_threads';
import { Dispatcher, newSegment } from '../hash-direct/segments.js';

const dispatcher = new Dispatcher();
let missing = workerData.workers;

parentPort.on('message', ({ port, id, bytes }) => {
  if (port === undefined) dispatcher.give(id, bytes);
  else greet(port);
});

/** Sends a worker its segment, and adds the worker when it has answered. */
function greet(port) {
  const segment = newSegment();
  port.once('message', () => {
    dispatcher.add(segment);
    missing--;
    if (missing === 0) parentPort.postMessage('ready');
  });
  port.postMessage(segment);
}
