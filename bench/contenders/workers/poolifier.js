// What a thread of poolifier runs: the tasks are registered from inside.
import { ThreadWorker } from 'poolifier';
import * as exported from '../../driver/tasks.js';

/** What the module declares for others is no task. */
const { threadwise: _declared, ...tasks } = exported;

export default new ThreadWorker(tasks);
