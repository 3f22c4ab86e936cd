/** The user's function for many inputs in one call: what crossing costs is paid once for all of them. */
import type { SubjectReference } from './protocol.js';
import { loadSubject, type Subject } from './subject.js';

let subject: Subject | undefined;

export async function setup({ data }: { readonly data: SubjectReference }): Promise<void> {
  subject = await loadSubject(data);
}

/** An input that fails gives what it failed with, as the others give their results. */
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
