/** One `threadwise run` from its options to its exit code: what is known before the first thread starts. */

import { mustBeApart, named, STDOUT } from '../disk/file-id.js';
import { outPath } from '../disk/out-file.js';
import { ExitCode } from '../exit-code.js';
import type { Counts } from './inputs/input-source.js';
import { sampleInline } from './inline-sample.js';
import { filesRead, openInputs, passingOf } from './inputs/open-inputs.js';
import { identityOf, newRun, planResume } from './journal/resume.js';
import type { RunOptions } from './options.js';
import { Session } from './session.js';
import { findModule, moduleFile } from './work/task-module.js';

export async function run(options: RunOptions): Promise<number> {
  const { input, journal, compareInline, format, withInput, stopsAtFailure } = options;
  const module = findModule(options.module);
  const output =
    options.out === undefined ? { what: 'standard output', file: STDOUT } : named('--out', options.out);
  mustBeApart(journal === undefined ? [output] : [output, named('--journal', journal)], [
    moduleFile(options.module, module),
    ...filesRead(input),
  ]);
  const out = options.out === undefined ? undefined : outPath(options.out);
  const source = openInputs(input, [out?.path ?? STDOUT, out?.part, journal]);
  try {
    const identity = identityOf(options, module, source);
    const resume = journal === undefined ? newRun : planResume(journal, identity);
    if (resume.kind === 'complete') return alreadyComplete(options, resume.counts);
    const setup = {
      moduleUrl: module.url,
      exportName: module.exportName,
      passing: passingOf(input),
      format,
      withInput,
      keepsValues: options.reduce !== undefined,
      stopsAtFailure,
    };
    const inline = compareInline === undefined ? undefined : await sampleInline(setup, source, compareInline);
    return await new Session({ options, source, setup, identity, resume, inline, out }).run();
  } finally {
    source.close();
  }
}

function alreadyComplete({ journal, quiet }: RunOptions, { inputs, failed }: Counts): number {
  if (!quiet) {
    const failures = failed === 0 ? '' : `, ${failed} of them failed`;
    process.stderr.write(`already complete: journal '${journal}' has ${inputs} inputs${failures}\n`);
  }
  return failed === 0 ? ExitCode.ok : ExitCode.failed;
}
