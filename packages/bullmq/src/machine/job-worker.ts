/**
 * BullMQ's Worker, but for a job whose data is no JSON, as only another producer can write it: BullMQ throws whenever it fetches such a job,
 * which then goes from machine to machine for ever and never fails.
 */
import { type Job, type JobJson, Worker } from 'bullmq';

export class JobWorker extends Worker {
  /** The data is what JSON.parse threw, if it did. */
  protected override createJob(json: JobJson, jobId: string): Job {
    try {
      return super.createJob(json, jobId);
    } catch (error) {
      const job = super.createJob({ ...json, data: 'null' }, jobId);
      job.data = error;
      return job;
    }
  }
}
