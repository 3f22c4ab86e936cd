/** The user's module in a probe, the function of it that is measured, and that function as tasks of ours. */
import { type Passing, takingInput } from '../../../run/work/passing.js';
import {
  exportsOf,
  importModule,
  type ModuleNamespace,
  namedFunction,
  selectName,
  type TaskFunction,
} from '../../../run/work/task-module.js';
import { UsageError } from '../../../exit-code.js';
import { didYouMean } from '../../did-you-mean.js';

export interface SubjectReference {
  readonly module: string;
  readonly export: string | undefined;
  readonly passing: Passing;
}

export interface Subject {
  /** The function as it is. */
  readonly call: TaskFunction;
  /** The same for an input. */
  readonly run: TaskFunction;
  /** By which a pool finds it. */
  readonly name: string;
  readonly hasSetup: boolean;
}

/** What a worker's setup gets, as far as it makes sense on the calling thread. */
const CONTEXT = { workerId: 0, poolName: 'threadwise analyze', data: undefined };

/** Loads it and prepares it as a worker would. Throws UsageError where there is no such function. */
export async function loadSubject(reference: SubjectReference): Promise<Subject> {
  const module = await importModule(reference.module);
  const { name, call } = select(module, reference);
  const { setup, teardown } = exportsOf(module);
  if (typeof setup === 'function') await (setup as TaskFunction)(CONTEXT);
  const hasSetup = typeof setup === 'function' || typeof teardown === 'function';
  return { call, run: takingInput(call, reference.passing), name, hasSetup };
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

/** The one of this worker. */
let subject: Subject | undefined;

export async function setup({ data }: { readonly data: SubjectReference }): Promise<void> {
  subject = await loadSubject(data);
}

/** What crossing costs is paid once for all of them. An input that fails gives what it failed with, as the others give their results. */
export function runAll(inputs: readonly unknown[]): unknown[] {
  const { run } = subject!;
  return inputs.map((input) => {
    try {
      return run(input);
    } catch (error) {
      return error;
    }
  });
}

/** Of a file only the path crosses. */
export function runOne(input: unknown): unknown {
  return subject!.run(input);
}
