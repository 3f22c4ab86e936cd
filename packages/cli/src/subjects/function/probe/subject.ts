/** Loads the user's module in a probe, finds the function to measure, and provides it as tasks for a pool. */
import { type Passing, takingInput } from '../../../run/work/passing.js';
import { exportsOf, importModule, namedFunction, selectName } from '../../../run/work/task-module.js';
import type { ModuleNamespace, TaskFunction } from '../../../run/work/task-module.js';
import { UsageError } from '../../../exit-code.js';
import { didYouMean } from '../../did-you-mean.js';
import { outcomeOf } from './values.js';

export interface SubjectReference {
  readonly module: string;
  readonly export: string | undefined;
  readonly passing: Passing;
}

export type Subject = Awaited<ReturnType<typeof loadSubject>>;

/** What the module's `setup` gets in a worker, as far as it makes sense on the calling thread. */
const CONTEXT = { workerId: 0, poolName: 'threadwise analyze', data: undefined };

/** Imports the module and calls its `setup`, as a worker does. Throws UsageError where there is no such function. */
export async function loadSubject(reference: SubjectReference) {
  const module = await importModule(reference.module);
  const { name, call } = select(module, reference);
  const { setup, teardown } = exportsOf(module);
  if (typeof setup === 'function') await (setup as TaskFunction)(CONTEXT);
  const hasSetup = typeof setup === 'function' || typeof teardown === 'function';
  /** The function, called with an input, which `Passing` turns into arguments. */
  const run = takingInput(call, reference.passing);
  return { call, run, name, hasSetup };
}

function select(module: ModuleNamespace, { module: url, export: given }: SubjectReference) {
  try {
    const name = selectName(module, given, url);
    return { name, call: namedFunction(module, name, url) };
  } catch (error) {
    if (!(error instanceof UsageError) || given === undefined) throw error;
    const functions = Object.entries(exportsOf(module)).filter(([, value]) => typeof value === 'function');
    const known = functions.map(([each]) => each);
    throw new UsageError(`${error.message}.${didYouMean(given, known)}`.replace(/\.$/, ''));
  }
}

/** What the tasks of this worker call; loaded by `setup`. */
let subject: Subject | undefined;

export async function setup({ data }: { readonly data: SubjectReference }): Promise<void> {
  subject = await loadSubject(data);
}

/** Runs a batch, which pays for one crossing. An input that fails gives its error in the place of a result. */
export function runAll(inputs: readonly unknown[]): unknown[] {
  const { run } = subject!;
  return inputs.map((input) => outcomeOf(run, input));
}

/** Runs an input that is a path: only the path crosses, and the worker reads the file. */
export function runOne(input: unknown): unknown {
  return subject!.run(input);
}
