// A reporter of node:test that tells a program what a run came to: its counts, and what failed and why, as JSON.
import { relative, resolve } from 'node:path';
import { inspect } from 'node:util';
import { root } from './prepare.mjs';

export default async function* counts(events) {
  const totals = {};
  const failed = [];
  for await (const { type, data } of events) {
    // The totals come last, so that a test's own message cannot be taken for them.
    const [, name, count] =
      (type === 'test:diagnostic' && /^(tests|pass|fail|cancelled|skipped) (\d+)$/.exec(data.message)) || [];
    if (name !== undefined) totals[name] = Number(count);
    if (type === 'test:fail' && isCause(data)) failed.push({ name: nameOf(data), reason: reasonOf(data) });
  }
  yield JSON.stringify({ ...totals, failed });
}

/** Not a suite that failed because of what is in it, and not a test that may fail. */
function isCause({ todo, details }) {
  return (todo === undefined || todo === false) && details.error?.failureType !== 'subtestsFailed';
}

/** A file that failed outside of its tests is a test that is named like the file. */
function nameOf({ name, file = '' }) {
  const shown = relative(root, file);
  return resolve(name) === file ? shown : `${shown}: ${name}`;
}

/** What the test threw, without what node:test wraps around it. */
function reasonOf({ details: { error } }) {
  return inspect(error?.cause ?? error, { depth: 4, maxStringLength: 2000 });
}
