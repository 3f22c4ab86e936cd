/** Tasks for a real pool: one that ends at once, one that a test ends, and one that takes its worker with it. */

export const add = (a, b) => a + b;

/** Until the word in the shared memory is no longer 0. It blocks the thread, as computing would. */
export const hold = (shared) => {
  Atomics.wait(new Int32Array(shared), 0, 0);
  return 'let go';
};

export const crash = () => process.exit(7);
