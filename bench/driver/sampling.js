// Takes one sample in a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NotAvailable } from './not-available.js';

const sampleModule = new URL('./sample.js', import.meta.url);
const root = new URL('../../', import.meta.url);
/** How many milliseconds a sample may take beyond its budget: to start, do its work, check its results and close. */
const GRACE_MS = 40_000;
/** Node's exit code when a top-level await has nothing left to wait for. */
const EXIT_UNSETTLED = 13;

/**
 * @param order { experiment, scenario, contender, way, given, budget, mostMs }, the first three by id; given: from the fixture;
 *   mostMs: how many milliseconds it may take beyond the usual limit
 * @returns the values of the scenario's metrics
 * @throws NotAvailable if the installed version of the package does not offer the contender; any other error if the
 *   contender fails, computes something wrong, or leaves something that keeps the process alive
 */
export async function takeSample(order) {
  const { warmUpMs, measureMs, idleMs = 0 } = order.budget;
  const { mostMs = 0 } = order;
  const child = fork(sampleModule, [JSON.stringify(order)], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let answer;
  let errors = '';
  child.on('message', (message) => {
    answer = message;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  let isLate = false;
  // Garbage collection and calibration can exceed a budget: that is slow, but not stuck.
  const timer = setTimeout(
    () => {
      isLate = true;
      child.kill('SIGKILL');
    },
    4 * (warmUpMs + measureMs) + idleMs + mostMs + GRACE_MS,
  );
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  if (isLate) throw new Error(answer ? 'its process did not end after close()' : 'it did not finish in time');
  if (code === EXIT_UNSETTLED) throw new Error('a call or close() never settled');
  if (code !== 0 || answer === undefined) {
    throw new Error(withoutRoot(errors.trim()) || `its process ended with exit code ${code}`);
  }
  if (answer.notAvailable !== undefined) throw new NotAvailable(answer.notAvailable);
  return answer.values;
}

/** Removes the path of this repository from a text, since results are published. */
function withoutRoot(text) {
  return text.replaceAll(root.href, '').replaceAll(fileURLToPath(root), '');
}
