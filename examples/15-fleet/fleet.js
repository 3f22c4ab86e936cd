// A pool of the threads of all machines on which machine.js runs.
import { connect } from '@threadwise/bullmq';

export const pool = connect({
  queue: 'rows',
  connection: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379',
  // A machine that has another version of the functions rejects the call, instead of drawing something else.
  module: new URL('./tasks.js', import.meta.url),
});
