// What a thread of workerpool runs. The tasks are registered from inside the thread.
import workerpool from 'workerpool';
import * as exported from '../../driver/tasks.js';

/** `threadwise` is a declaration for our pools, and no task. */
const { threadwise: _declared, ...tasks } = exported;

workerpool.worker(tasks);
