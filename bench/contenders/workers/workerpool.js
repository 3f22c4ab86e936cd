// What a thread of workerpool runs: the tasks are registered from inside.
import workerpool from 'workerpool';
import * as exported from '../../driver/tasks.js';

/** What the module declares for others is no task. */
const { threadwise: _declared, ...tasks } = exported;

workerpool.worker(tasks);
