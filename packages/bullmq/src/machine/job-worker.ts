/**
 * BullMQ's Worker, made to accept jobs whose data is not JSON, which other producers may write: BullMQ throws whenever it fetches such a
 * job, which then goes from machine to machine for ever and never fails. It also leaves a Redis that refuses in peace, and ends a job that
 * Redis has refused to end.
 */
import { type Job, type JobJson, Worker } from 'bullmq';
import { insist, REFUSED_MS } from '../connection.js';

/** The commands that end a job or give it back. */
const ENDS = ['moveToFinished', 'moveToDelayed', 'retryJob', 'moveJobFromActiveToWait'];

export class JobWorker extends Worker {
  /** BullMQ would fail a job whose result Redis refuses, with the words of Redis, or have it run again when its lock ends. */
  protected override createBackend(): void {
    super.createBackend();
    const { backend } = this;
    const run = backend.execCommand.bind(backend);
    const tell = (error: Error) => void this.emit('error', error);
    backend.execCommand = (client, name, args) =>
      ENDS.includes(name) ? insist(() => run(client, name, args), tell) : run(client, name, args);
  }

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
