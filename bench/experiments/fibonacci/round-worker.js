// A worker of the published program: computes the number that a message asks for, and answers.
import { parentPort } from 'node:worker_threads';
import { fibonacci } from '../../driver/tasks.js';

parentPort.on('message', (index) => parentPort.postMessage(fibonacci(index)));
