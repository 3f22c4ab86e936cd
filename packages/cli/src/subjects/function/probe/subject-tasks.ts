/** The user's function as tasks of ours: for many inputs in one call, and for an input of which the worker makes the arguments. */
import { loadSubject, type Subject, type SubjectReference } from './subject.js';

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
