/**
 * BullMQ's Worker, made to accept jobs whose data is not JSON, which other producers may write: BullMQ throws whenever it fetches such a
 * job, which then goes from machine to machine for ever and never fails.
 */
import { type Job, type JobJson, Worker } from 'bullmq';

export class JobWorker extends Worker {
  /** If the data cannot be parsed, `job.data` is the error. */
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
