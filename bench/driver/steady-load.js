// Keeps a pool under a constant load and measures how much it gets done: for experiments in which a pool has to adapt.
import { performance } from 'node:perf_hooks';

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Calls per second over `measureMs`, after `followMs` in which the pool may adapt. */
export async function rateOf(pool, load, { outstanding, followMs, measureMs }) {
  const calling = keepCalling(pool, load, outstanding);
  await calling.meanwhile(pause(followMs));
  const [count, start] = [calling.count(), performance.now()];
  await calling.meanwhile(pause(measureMs));
  const rate = ((calling.count() - count) * 1000) / (performance.now() - start);
  await calling.stop();
  return rate;
}

/** Keeps calls open until `stop` is called, or one fails; counts the calls that have settled. */
function keepCalling(pool, { task, argument }, outstanding) {
  const state = { count: 0, isStopped: false };
  const lane = async () => {
    while (!state.isStopped) {
      await pool.call(task, argument);
      state.count++;
    }
  };
  const ended = Promise.all(Array.from({ length: outstanding }, lane));
  const stop = () => {
    state.isStopped = true;
    return ended;
  };
  ended.catch(() => {
    state.isStopped = true;
  });
  return {
    count: () => state.count,
    /** Waits for `something`, and throws if a call fails first. */
    meanwhile: (something) => Promise.race([something, ended]),
    stop,
  };
}
