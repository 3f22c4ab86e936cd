/** The recorder that does nothing: what a pool costs without measuring is measured with it. */
import type { Recorder, RecorderSnapshot } from '../core/contracts.js';
import { MeasuredRecorder } from './measured.js';

const nothing: RecorderSnapshot = new MeasuredRecorder().snapshot(0);
const nobody = new MeasuredRecorder().worker();

export const silentRecorder: Recorder = {
  submitted: () => undefined,
  settled: () => undefined,
  ran: () => undefined,
  retried: () => undefined,
  crashed: () => undefined,
  recycled: () => undefined,
  worker: () => nobody,
  forget: () => undefined,
  snapshot: () => nothing,
};
