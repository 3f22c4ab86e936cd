// A thread that studies its share of the lines, and ends.
import { parentPort, workerData } from 'node:worker_threads';
import { studyLines } from './genotypes.js';

parentPort.postMessage(studyLines(workerData.lines, workerData.pattern, workerData.panel));
