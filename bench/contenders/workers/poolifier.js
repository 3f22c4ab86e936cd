// What a thread of poolifier runs. The tasks are registered from inside the thread.
import { ThreadWorker } from 'poolifier';
import * as exported from '../../driver/tasks.js';

/** `threadwise` is a declaration for our pools, and no task. */
const { threadwise: _declared, ...tasks } = exported;

export default new ThreadWorker(tasks);
