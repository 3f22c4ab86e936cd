// What a thread of poolifier runs: the tasks are registered from inside.
import { ThreadWorker } from 'poolifier';
import * as tasks from '../../tasks.js';

export default new ThreadWorker({ ...tasks });
