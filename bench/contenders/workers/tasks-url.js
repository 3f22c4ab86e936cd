/** The module with the tasks, for pools that load a module as it is. */
export const tasksUrl = new URL('../../driver/tasks.js', import.meta.url);
