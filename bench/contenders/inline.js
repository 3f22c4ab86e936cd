// No threads: the cost of a call without any pool, which a pool has to beat.
import * as exported from '../driver/tasks.js';

const tasks = { ...exported };

export default {
  role: 'inline',
  variants: {
    inline: () => ({
      call: (name, argument) => tasks[name](argument),
      close: async () => {},
    }),
  },
};
