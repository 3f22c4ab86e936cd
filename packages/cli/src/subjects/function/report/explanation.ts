/** What a reader gets beside the figures: the verdict for somebody who has never used threads, and what is recommended, as code to paste, broken so that it fits. */
import { bytes, counted, duration, figureOf, perCent, rate } from '../../../format/figures.js';
import { fileInCode, type Paragraph } from '../../../report/model.js';
import { howOf } from '../rules/alternatives.js';
import type { Answer, Findings, Recommended } from '../rules/findings.js';

/** In a few words, for where a whole sentence is too long. */
export const SHORT: Readonly<Record<Findings['verdict']['answer'], string>> = {
  threads: 'Use threads',
  inline: 'Do without threads',
  async: 'Do without threads: await',
  unknown: 'No verdict',
};

export function explanation(findings: Findings): Paragraph[] {
  const text = MEANING[findings.verdict.answer](findings);
  return [{ title: 'What the verdict means', text }, thread, crossing(findings), cores(findings)];
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
    const { mean = Number.NaN } = samples.inline.callMs ?? {};
    if ((cheapestOf(samples.crossings) ?? Number.NaN) > mean / 2) return whenDear(findings);
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

/** What there is to say before the code. */
export function beforeCode(findings: Findings): string {
  const way = wayThatPays(findings);
  if (way !== undefined) return `Call it where you are; or ${way}, and with these options:`;
  return BEFORE[findings.verdict.answer];
}

/** Of the ways that change the verdict, the one that the options are for. */
function wayThatPays({ alternatives, samples }: Findings): string | undefined {
  const [most] = alternatives
    .filter(({ changesVerdict }) => changesVerdict)
    .toSorted((a, b) => b.gain.value - a.gain.value);
  const variant = samples.variants.find(({ name }) => name === most?.name);
  return variant && howOf(variant);
}

const BEFORE: Readonly<Record<Answer, string>> = {
  threads: 'A pool with the options that the verdict speaks of:',
  inline: 'Call it where you are.',
  async: 'Call it where you are, and await many calls at a time.',
  unknown: 'As long as it cannot be told, change nothing.',
};

/**
 * Empty where no pool did better than the calling thread.
 * @param columns the code is broken to stay within, as far as its words allow
 */
export function recommendedCode({ recommended, samples }: Findings, columns: number): string[] {
  if (recommended.threads === undefined) return [];
  const module = `'./${fileInCode(samples.subject.module, 'tasks.js')}'`;
  return [...importOf(columns), '', ...callOf(module, optionsOf(recommended), columns)];
}

function importOf(columns: number): string[] {
  const line = "import { createPool } from 'threadwise';";
  return line.length <= columns ? [line] : ['import {', '  createPool,', "} from 'threadwise';"];
}

function callOf(module: string, options: string[], columns: number): string[] {
  const base = 'import.meta.url';
  const object = options.length === 0 ? '' : `{ ${options.join(', ')} }`;
  const parameters = [`new URL(${module}, ${base})`, object].filter(Boolean);
  const line = `const pool = createPool(${parameters.join(', ')});`;
  if (line.length <= columns) return [line];
  const url =
    parameters[0]!.length + 3 <= columns
      ? [`  ${parameters[0]},`]
      : ['  new URL(', `    ${module},`, `    ${base},`, '  ),'];
  const rest =
    object.length + 3 <= columns
      ? [`  ${object},`]
      : ['  {', ...options.map((each) => `    ${each},`), '  },'];
  return ['const pool = createPool(', ...url, ...(object === '' ? [] : rest), ');'];
}

/** Each option as source; a reader of JSON may have got one that is none of ours. */
function optionsOf(recommended: Recommended): string[] {
  const { threads, ...rest } = recommended;
  const range = typeof threads === 'object' ? `{ min: ${threads.min}, max: ${threads.max} }` : threads;
  return Object.entries({ threads: range, ...rest })
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => `${name}: ${typeof value === 'string' && name !== 'threads' ? `'${value}'` : value}`,
    );
}
