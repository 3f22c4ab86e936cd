// A reporter of node:test that prints the result of a run as JSON: its counts, what failed and why, and which files took longest.
import { relative, resolve } from 'node:path';
import { inspect } from 'node:util';
import { root } from './prepare.mjs';

/** How many of the last characters of a file's standard error are reported if it fails outside its tests. */
const STDERR_CHARACTERS = 4000;
/** How many files are named that took longest. */
const SLOWEST = 5;

export default async function* counts(events) {
  const totals = {};
  const failed = [];
  const stderr = new Map();
  const seconds = new Map();
  for await (const { type, data } of events) {
    if (type === 'test:stderr') {
      const text = (stderr.get(data.file) ?? '') + data.message;
      stderr.set(data.file, text.slice(-STDERR_CHARACTERS));
    }
    if ((type === 'test:pass' || type === 'test:fail') && data.nesting === 0) {
      const file = relative(root, data.file ?? '');
      seconds.set(file, (seconds.get(file) ?? 0) + data.details.duration_ms / 1000);
    }
    // The totals come last, so that a test's own message cannot be taken for them.
    const [, name, count] =
      (type === 'test:diagnostic' && /^(tests|pass|fail|cancelled|skipped) (\d+)$/.exec(data.message)) || [];
    if (name !== undefined) totals[name] = Number(count);
    if (type === 'test:fail' && isCause(data))
      failed.push({ name: nameOf(data), reason: reasonOf(data, stderr) });
  }
  const slowest = [...seconds].sort((a, b) => b[1] - a[1]).slice(0, SLOWEST);
  yield JSON.stringify({ ...totals, failed, slowest });
}

/** Whether a failure is reported: not that of a suite because of its tests, nor that of a test marked as todo. */
function isCause({ todo, details }) {
  return (todo === undefined || todo === false) && details.error?.failureType !== 'subtestsFailed';
}

/** node:test reports a file that failed outside its tests as a test with the file's name. */
const isFile = ({ name, file = '' }) => resolve(name) === file;

function nameOf(data) {
  const shown = relative(root, data.file ?? '');
  return isFile(data) ? shown : `${shown}: ${data.name}`;
}

/** What the test threw, without the wrapper of node:test; for a file, how its process ended, and the last that it wrote to standard error. */
function reasonOf(data, stderr) {
  const { error } = data.details;
  if (isFile(data)) {
    const { exitCode, signal } = error ?? {};
    return `its process ended with ${signal ? `signal ${signal}` : `exit code ${exitCode}`}\n${stderr.get(data.file) ?? ''}`.trimEnd();
  }
  return inspect(error?.cause ?? error, { depth: 4, maxStringLength: 2000 });
}
