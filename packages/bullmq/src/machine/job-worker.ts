/**
 * BullMQ's Worker, made to accept jobs whose data is not JSON, which other producers may write: BullMQ throws whenever it fetches such a
 * job, which then goes from machine to machine for ever and never fails. It also leaves a Redis that refuses in peace.
 */
import { type Job, type JobJson, Worker } from 'bullmq';

/** How many milliseconds pass before a Redis that has refused to give a job is asked again. Chosen by hand. */
const REFUSED_MS = 500;

export class JobWorker extends Worker {
  /** Waits where Redis refuses (it is a replica, it is full): BullMQ would ask again as fast as it answers. */
  protected override async moveToActive(token: string, name?: string): Promise<Job> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      if ((error as Error).name === 'ReplyError' && !this.closing) await this.delay(REFUSED_MS);
      throw error;
    }
  }

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
