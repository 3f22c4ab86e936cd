// What a thread of workerpool runs. The tasks are registered from inside the thread.
import workerpool from 'workerpool';
import * as tasks from '../../driver/tasks.js';

workerpool.worker({ ...tasks });
