/** `threadwise/worker`: what a task's code may import. */
export {
  type HostFunctions,
  type SetupContext,
  type TaskHandle,
  task,
  transfer,
} from './runner/task-handle.js';
