/** The verdict for a reader who has never used threads: what a thread is, what a crossing is, why cores matter. */
import { bytes, counted, duration, figureOf, perCent, rate } from '../../../format/figures.js';
import type { Paragraph } from '../../../report/model.js';
import type { Findings } from '../rules/findings.js';

/** In a few words, for where a whole sentence is too long. */
export const SHORT: Readonly<Record<Findings['verdict']['answer'], string>> = {
  threads: 'Use threads',
  inline: 'Do without threads',
  async: 'Do without threads: await',
  unknown: 'No verdict',
};

export function explanation(findings: Findings): Paragraph[] {
  return [conclusion(findings), thread, crossing(findings), cores(findings)];
}

const thread: Paragraph = {
  title: 'What a thread is',
  text:
    'A JavaScript program does one thing at a time. While a function computes, nothing else happens: no request is ' +
    'answered, and no timer fires. A worker thread is a second place in the same program where JavaScript runs at the same ' +
    'time. A pool keeps some of them ready, and gives each call to one that is free.',
};

function crossing({ samples }: Findings): Paragraph {
  const cheapest = cheapestOf(samples.crossings);
  const price =
    cheapest === undefined ? '' : ` Here it costs ${duration(cheapest)} of computing for each call.`;
  return {
    title: 'What a crossing is',
    text:
      'Threads share no objects. What a call is given is copied to the worker, what it returns is copied back, and each side ' +
      `has to notice that something has come. That is the crossing, and it is paid for every call.${price}`,
  };
}

function cores({ knee, samples: { machine, start } }: Findings): Paragraph {
  const memory = figureOf(start?.bytesPerThread);
  const each = memory === undefined ? '' : ` Each thread also takes memory: ${bytes(memory.value)} here.`;
  const here =
    machine.cores === 1
      ? 'This machine lets the program use one core: threads take turns on it, and none of them makes another faster.'
      : `This machine lets the program use ${counted(machine.cores, 'core')}: so many calls can compute at once. ${
          knee !== undefined && knee.threads > machine.cores ? '' : 'More threads than that take turns.'
        }`;
  return {
    title: 'Why the number of cores matters',
    text: `A core is the part of a processor that does the computing, one thing at a time. ${here}${each}`,
  };
}

function conclusion(findings: Findings): Paragraph {
  return { title: 'What the verdict means', text: MEANING[findings.verdict.answer](findings) };
}

const DEAR =
  'To hand a call to another thread costs time, too: here it takes at least half as long as the call itself. It is ' +
  'like writing a letter to ask for what you could look up yourself.';

/** Not where it was tried, and has not changed it. */
function whenDear({ alternatives, samples: { variants } }: Findings): string {
  const isOf = ({ name }: { readonly name: string }): boolean => name === 'batch';
  const hasChanged = alternatives.some((each) => isOf(each) && each.changesVerdict);
  return variants.some(isOf) && !hasChanged ? DEAR : `${DEAR} That changes when a call does more at once.`;
}

const NO_GAIN =
  'Threads were tried, and did not get enough more of these calls done than the calling thread by itself. What is won by ' +
  'running some at once is lost elsewhere: on the way there and back, or because all wait for the same thing.';

function isCrossingDear({ crossings, inline }: Findings['samples']): boolean {
  const cheapest = cheapestOf(crossings);
  return cheapest !== undefined && inline.callMs !== undefined && cheapest > inline.callMs.mean / 2;
}

/** What a crossing costs the way that costs least. */
export function cheapestOf(crossings: Findings['samples']['crossings']): number | undefined {
  const costs = crossings.flatMap(({ cpuMs }) => figureOf(cpuMs)?.value ?? []);
  return costs.length === 0 ? undefined : Math.min(...costs);
}

const MEANING: Readonly<Record<Findings['verdict']['answer'], (findings: Findings) => string>> = {
  threads: ({ samples, knee }) => {
    const inline = figureOf(samples.inline.rate);
    const alone = inline === undefined ? '' : ` (${rate(inline.value)} calls a second)`;
    return (
      'A call takes long enough to be worth the way to another thread. ' +
      `Instead of the calling thread by itself${alone}, ${knee?.threads === 1 ? 'another thread works' : 'several threads work at once'}.`
    );
  },
  inline: (findings) => {
    const { samples } = findings;
    const { uncloneable, endedInWorker } = samples.behaviour;
    if (endedInWorker !== undefined) {
      return (
        'A part of it, perhaps one that is not JavaScript, expects to run on the main thread only. Nothing that this program ' +
        'could do changes that; a second process, instead of a second thread, could.'
      );
    }
    if (uncloneable.argument !== undefined || uncloneable.result !== undefined) {
      return (
        'What goes to another thread is copied, and not everything can be copied: functions, for one, and open files. Give it ' +
        'plain data, and build the rest inside of the function.'
      );
    }
    if (isCrossingDear(samples)) return whenDear(findings);
    return samples.threads.length > 0 ? NO_GAIN : 'No number of threads was tried.';
  },
  async: () =>
    'The function spends most of its time waiting: for a disk, a network, a timer. While it waits, its thread is free to do ' +
    'something else, also another call. Start many calls before you await the first: ' +
    '`await Promise.all(inputs.map(…))`.',
  unknown: ({ samples: { behaviour }, noise, gain }) => {
    const { ended, neverSettled, failures } = behaviour;
    const isBroken = failures.calls > 0 && failures.failed === failures.calls;
    if (ended !== undefined || neverSettled !== undefined || isBroken) {
      return 'Before anything can be said about threads the function has to work with these inputs. What is wrong is said above.';
    }
    const differs =
      noise === undefined || !Number.isFinite(noise)
        ? ''
        : ` Repeated runs of the very same differ by ± ${perCent(noise)}.`;
    return `${gain === undefined ? 'Too little was measured for a verdict.' : 'What was measured goes both ways.'}${differs} A wrong verdict would be worse than none.`;
  },
};
