// What a thread of workerpool runs: the tasks are registered from inside.
import workerpool from 'workerpool';
import * as tasks from '../../tasks.js';

workerpool.worker({ ...tasks });
