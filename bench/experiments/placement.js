// Whether a pool finds out by itself which calls to run on the calling thread: tiny tasks, small ones with
// objects, and long ones. Those of a server are in template.
import { fibonacci } from './placement/fibonacci.js';
import { longTasks } from './placement/long-tasks.js';
import { orders } from './placement/order.js';
import { page } from './placement/page.js';

export default {
  id: 'placement',
  title: 'Where tasks run: on threads, on the calling thread, or where it is measured to be cheaper',
  threads: 2,
  page,
  scenarios: [...fibonacci, ...orders, ...longTasks],
};
