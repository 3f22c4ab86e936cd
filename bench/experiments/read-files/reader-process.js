// A process that reads a file `times` times. An order is { path, times, probes }; the answer is how many contents were right.
import { answerOrders } from '../../fixtures/processes.js';
import { Checker } from './checking.js';
import { loopOfReadFileSync } from './ways.js';

answerOrders(({ probes, ...order }) => {
  const checker = new Checker(probes);
  loopOfReadFileSync({ ...order, onContent: checker.onContent });
  return { checked: checker.checked };
});
