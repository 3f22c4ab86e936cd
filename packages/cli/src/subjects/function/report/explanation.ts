/** The verdict explained to somebody who has never used threads, and the recommended options as code to paste. */
import * as say from '../../../format/figures.js';
import { ENOUGH_ROUNDS, usableCores } from '../../../experiment/rules.js';
import { codeFor, fileInCode, type Paragraph, type Tone } from '../../../report/model.js';
import { howOf } from '../rules/alternatives.js';
import { cheapestOf, crossingMsOf } from '../rules/busy.js';
import type { Findings } from '../rules/analyze.js';
import type { Answer } from '../rules/verdict.js';

export function explanation(findings: Findings): Paragraph[] {
  const { verdict, knee, samples } = findings;
  const cores = usableCores(samples.machine);
  const crossingMs = crossingMsOf(samples);
  const price =
    crossingMs === undefined ? '' : ` Here it costs ${say.duration(crossingMs)} of computing for each call.`;
  const memory = say.figureOf(samples.start?.bytesPerThread);
  const each = memory === undefined ? '' : ` Each thread also takes memory: ${say.bytes(memory.value)} here.`;
  const turns = knee !== undefined && knee.threads > cores ? '' : ' More threads than that take turns.';
  const all = samples.machine.cores;
  const one =
    all === 1
      ? 'This machine lets the program use one core: threads take turns on it, and none of them makes another faster.'
      : `This machine has ${all} cores, of which a CPU quota, or too little memory, leaves the program less than two: threads mostly take turns.`;
  const several = `This machine lets the program use ${say.counted(cores, 'core')}: ${cores} calls can compute at once.${turns}`;
  const here = cores === 1 ? one : several;
  return [
    { title: 'What the verdict means', text: ANSWERS[verdict.answer].meaning(findings) },
    {
      title: 'What a thread is',
      text:
        'A JavaScript program does one thing at a time. While a function computes, nothing else happens: no request is ' +
        'answered, and no timer fires. A worker thread is a second place in the same program where JavaScript runs at the same ' +
        'time. A pool keeps some of them ready, and gives each call to one that is free.',
    },
    {
      title: 'What a crossing is',
      text:
        'Threads share no objects. The arguments of a call are copied to the worker, its result is copied back, and each side ' +
        `has to notice that something has come. That is the crossing, and it is paid for every call.${price}`,
    },
    {
      title: 'Why the number of cores matters',
      text: `A core is the part of a processor that does the computing, one thing at a time. ${here}${each}`,
    },
  ];
}

/** `short`: the answer in a few words. `before`: what is said before the code. `meaning`: for somebody who has never used threads. */
type AboutAnswer = { short: string; tone: Tone; before: string; meaning(findings: Findings): string };

export const ANSWERS: Readonly<Record<Answer, AboutAnswer>> = {
  threads: {
    short: 'Use threads',
    tone: 'pays',
    before: 'A pool with the options that the verdict speaks of:',
    meaning: ({ samples, knee }) => {
      const inline = say.figureOf(samples.inline.rate);
      const alone = inline === undefined ? '' : ` (${say.rate(inline.value)} calls a second)`;
      const others = knee?.threads === 1 ? 'another thread works' : 'several threads work at once';
      return `A call takes long enough to be worth the way to another thread. Instead of the calling thread by itself${alone}, ${others}.`;
    },
  },
  inline: {
    short: 'Do without threads',
    tone: 'does not',
    before: 'Call it where you are.',
    meaning: whyInline,
  },
  async: {
    short: 'Do without threads: await',
    tone: 'does not',
    before: 'Call it where you are, and await many calls at a time.',
    meaning: () =>
      'The function spends most of its time waiting: for a disk, a network, a timer. While it waits, its thread is free to do ' +
      'something else, also another call. Start many calls before you await the first: ' +
      '`await Promise.all(inputs.map(…))`.',
  },
  unknown: {
    short: 'No verdict',
    tone: 'unknown',
    before: 'As long as there is no verdict, change nothing.',
    meaning: ({ samples: { behaviour, inline }, noise, gain }) => {
      const { ended, neverSettled, failures } = behaviour;
      const isBroken = failures.calls > 0 && failures.failed === failures.calls;
      if (ended !== undefined || neverSettled !== undefined || isBroken) {
        return 'Before anything can be said about threads the function has to work with these inputs. What is wrong is said above.';
      }
      const by = say.noise(noise);
      const differs = by === say.NONE ? '' : ` Repeated runs of the very same differ by ${by}.`;
      const isLittle = gain === undefined || inline.rate.length < ENOUGH_ROUNDS;
      const why = isLittle
        ? 'Too little was measured for a verdict.'
        : 'What was measured does not decide it.';
      return `${why}${differs} A wrong verdict would be worse than none.`;
    },
  },
};

function whyInline({ alternatives, samples }: Findings): string {
  const { behaviour, inline, crossings, threads, variants } = samples;
  if (behaviour.endedInWorker !== undefined) {
    return (
      'A part of it, perhaps one that is not JavaScript, expects to run on the main thread only. Nothing that this program ' +
      'could do changes that; a second process, instead of a second thread, could.'
    );
  }
  if (behaviour.failsInWorker !== undefined) {
    return (
      'Some things exist only on the main thread, and this function needs one of them: the error above names it. ' +
      'If the function can do without it, threads can be measured.'
    );
  }
  if ((behaviour.uncloneable.argument ?? behaviour.uncloneable.result) !== undefined) {
    return (
      'What goes to another thread is copied, and not everything can be copied: functions, for one, and open files. Give it ' +
      'plain data, and build the rest inside of the function.'
    );
  }
  const crossing = cheapestOf(crossings);
  if (crossing !== undefined && inline.callMs !== undefined && crossing > inline.callMs.mean / 2) {
    const long = crossing > inline.callMs.mean ? 'longer than' : 'more than half as long as';
    const dear =
      `To hand a call to another thread costs time, too: here it takes ${long} the call itself. It is ` +
      'like writing a letter to ask for what you could look up yourself.';
    const wasTried = variants.some(({ name }) => name === 'batch');
    const hasChanged = alternatives.some(({ name, changesVerdict }) => name === 'batch' && changesVerdict);
    return wasTried && !hasChanged ? dear : `${dear} That changes when a call does more at once.`;
  }
  if (threads.length === 0) return 'No number of threads was tried.';
  return (
    'Threads were tried, and did not get enough more of these calls done than the calling thread by itself. What is won by ' +
    'running some at once is lost elsewhere: on the way there and back, or because all wait for the same thing.'
  );
}

export function beforeCode({ alternatives, samples, verdict }: Findings): string {
  const way = alternatives.find(({ changesVerdict }) => changesVerdict);
  const variant = samples.variants.find(({ name }) => name === way?.name);
  if (variant === undefined) return ANSWERS[verdict.answer].before;
  return `Call it where you are; or ${howOf(variant)}, and with these options:`;
}

/** Empty: no number of threads is recommended. @param columns lines are broken to fit into them, as far as the words allow */
export function recommendedCode({ recommended, samples, alternatives }: Findings, columns: number): string[] {
  const { threads } = recommended;
  if (threads === undefined) return [];
  const { module, export: name, isCommonJs } = samples.subject;
  const { imported, placeOf, ran } = codeFor(isCommonJs);
  const given = Object.entries({ threads, ...recommended }); // `threads` goes before the other options
  const quoted = given.map(
    ([option, value]) => `${option}: ${typeof value === 'string' ? `'${value}'` : value}`,
  );
  const place = placeOf(fileInCode(module, 'tasks.js'));
  // Another way of calling that is recommended mostly needs another function than the one that was measured.
  const call = alternatives.some(({ changesVerdict }) => changesVerdict) ? [] : [ran(name)];
  const pool = `const pool = createPool(${place}, { ${quoted.join(', ')} });`;
  const lines = [imported('{ createPool }', 'threadwise'), pool, ...call];
  return lines.flatMap((line) => broken(line, columns));
}

/** Matches code with brackets. Its groups: the code up to the first bracket, what the brackets contain, and the rest. */
const IN_BRACKETS = /^(.*?[({]) ?(.*?) ?([)}][^)}]*)$/;
/** A comma that is in no brackets. */
const COMMA = /, (?![^(]*\))(?![^{]*\})/;

/** Breaks code that is too long for one line: each part between the brackets gets a line of its own. */
function broken(code: string, columns: number, indent = ''): string[] {
  const [, open, inner, close] = IN_BRACKETS.exec(code) ?? [];
  if (inner === undefined || indent.length + code.length <= columns) return [`${indent}${code}`];
  const parts = inner.split(COMMA).flatMap((part) => broken(`${part},`, columns, `${indent}  `));
  return [`${indent}${open}`, ...parts, `${indent}${close}`];
}
