// What a thread of poolifier runs. The tasks are registered from inside the thread.
import { ThreadWorker } from 'poolifier';
import * as tasks from '../../driver/tasks.js';

export default new ThreadWorker({ ...tasks });
