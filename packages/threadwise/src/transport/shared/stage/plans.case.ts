/** Plans for main that are made up at random: which calls there are, what they carry, and what else is done to them. */
import type { Random } from '../../interleaving.case.js';

/** offer, send (by port), mail: make a call. The others: see `MainSide.do`. */
export type Doing = 'offer' | 'send' | 'mail' | 'abort' | 'reorder' | 'drain' | 'retire' | 'kill';

const KINDS = ['none', 'number', 'text', 'large'] as const;
/** How many of the calls are like that. */
const SHARES = { long: 0.15, retry: 0.2, fails: 0.1, speaks: 0.1 };
/** Of those that are sent to one worker, by port. */
const PORT_SHARE = 0.3;

/** @param doings what is done, each as often as it stands there @param workers how many there are to choose from */
export function randomPlan(
  random: Random,
  doings: readonly Doing[],
  length: number,
  workers: number,
): string[] {
  const names: string[] = [];
  const call = (kind: string): string => {
    const flags = Object.entries(SHARES).flatMap(([flag, share]) => (random.next() < share ? [flag] : []));
    return [kind, ...flags].join(' ');
  };
  const one = (): string => {
    const doing = random.pick(doings);
    const worker = random.below(workers);
    const kind = random.pick(KINDS);
    switch (doing) {
      case 'offer':
        names.push(`c${names.length + 1}`);
        return `offer ${names.at(-1)} ${call(kind)}`;
      case 'send':
        names.push(`c${names.length + 1}`);
        return `offer ${names.at(-1)} ${call(random.next() < 0.5 ? 'port' : 'moved')}`;
      case 'mail':
        names.push(`c${names.length + 1}`);
        return `mail ${names.at(-1)} ${worker} ${call(random.next() < PORT_SHARE ? 'port' : kind)}`;
      case 'abort':
        return names.length === 0 ? 'drain' : `abort ${random.pick(names)}`;
      case 'retire':
      case 'kill':
        return `${doing} ${worker}`;
      default:
        return doing;
    }
  };
  return Array.from({ length }, one);
}
