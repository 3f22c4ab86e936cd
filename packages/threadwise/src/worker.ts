/** `threadwise/worker`: what a task's code may import. */
// All of it: a declaration of somebody else can only be merged with what is exported so.
export * from './runner/task-handle.js';
