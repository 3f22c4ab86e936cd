/** The module that pools load which take a module as it is. */
export const tasksUrl = new URL('../../driver/tasks.js', import.meta.url);
