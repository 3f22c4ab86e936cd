// The processor that BullMQ runs in a process or a thread of its own.
import { countPrimes } from '../../driver/tasks.js';

export default (job) => countPrimes(job.data[0]);
