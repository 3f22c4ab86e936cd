/** What is recommended, as code to paste, broken so that it fits. */
import { fileInCode } from '../../../report/model.js';
import { howOf } from '../rules/alternatives.js';
import type { Answer, Findings, Recommended } from '../rules/findings.js';

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
