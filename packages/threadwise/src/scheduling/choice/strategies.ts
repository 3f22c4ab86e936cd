/** The strategies of our own: which of the workers that have room gets a task. */
import type { Choice } from '../../core/contracts.js';

const builtIns = new WeakSet<object>();

function builtIn(name: string, choose: Choice['choose']): Choice {
  const choice = { name, choose };
  builtIns.add(choice);
  return choice;
}

/** Whether a strategy is one of ours: only those can be made on every thread. */
export function isBuiltIn(choice: unknown): choice is Choice {
  return typeof choice === 'object' && choice !== null && builtIns.has(choice);
}

/** The default strategy: the worker with the fewest tasks; among equals the one that started first. */
export const leastBusy = builtIn('least-busy', (_task, candidates) =>
  candidates.reduce((least, worker) => (worker.load < least.load ? worker : least)),
);

/** Each worker in turn, by id: the next one after the last choice that has room. Keeps its own place in the round. */
export function roundRobin(): Choice {
  let lastId = -1;
  return builtIn('round-robin', (_task, candidates) => {
    const next = candidates.find((worker) => worker.id > lastId) ?? candidates[0]!;
    lastId = next.id;
    return next;
  });
}

/**
 * Any worker that has room, with equal probability.
 * @param source numbers from 0 up to, not including, 1; for tests.
 */
export function random(source: () => number = Math.random): Choice {
  return builtIn('random', (_task, candidates) => candidates[Math.floor(source() * candidates.length)]!);
}

/** The worker whose event loop was least active lately: for tasks that await, where counting them says little. */
export const leastElu = builtIn('least-elu', (_task, candidates) => {
  const idle = candidates.find((worker) => worker.load === 0);
  if (idle !== undefined) return idle;
  const measured = candidates.map((worker) => ({ worker, utilization: worker.utilization }));
  measured.sort((a, b) => a.utilization - b.utilization || a.worker.load - b.worker.load);
  return measured[0]!.worker;
});
