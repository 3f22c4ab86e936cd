// Takes one sample in a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';

const sampleModule = new URL('./sample.js', import.meta.url);
/** Beyond its budget, what a sample may take to start, to check its results and to close. Milliseconds. */
const GRACE_MS = 20_000;
/** Node's exit code when a top-level await has nothing left to wait for. */
const EXIT_UNSETTLED = 13;

/**
 * @param order { experiment, scenario, contender, budget: { warmUpMs, measureMs } }, all by id
 * @returns the values of the scenario's metrics
 * @throws if the contender fails, computes something wrong, or leaves something that keeps the process alive
 */
export async function takeSample(order) {
  const { warmUpMs, measureMs } = order.budget;
  const child = fork(sampleModule, [JSON.stringify(order)], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let values;
  let errors = '';
  child.on('message', (message) => {
    values = message;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  let isLate = false;
  // Garbage collection and calibration can stretch a budget: that is slow, and not stuck.
  const timer = setTimeout(
    () => {
      isLate = true;
      child.kill('SIGKILL');
    },
    4 * (warmUpMs + measureMs) + GRACE_MS,
  );
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  if (isLate) throw new Error(values ? 'its process did not end after close()' : 'it did not finish in time');
  if (code === EXIT_UNSETTLED) throw new Error('a call or close() never settled');
  if (code !== 0 || values === undefined) {
    throw new Error(errors.trim() || `its process ended with exit code ${code}`);
  }
  return values;
}
