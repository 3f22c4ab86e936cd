/** One `threadwise run` from its options to its exit code: puts the parts together and takes them apart again. */

import { resolve } from 'node:path';
import { mustBeApart, type NamedFile, named, STDOUT } from '../disk/file-id.js';
import { outPath } from '../disk/out-file.js';
import { ExitCode } from '../exit-code.js';
import type { Counts, InputSource } from './inputs/input-source.js';
import { sampleInline } from './inline-sample.js';
import { filesRead, openInputs, passingOf } from './inputs/open-inputs.js';
import { type JournalIdentity, newRun, planResume } from './journal/resume.js';
import type { RunOptions } from './options.js';
import { Session } from './session.js';
import type { BatchSetup } from './work/batch.js';
import { findModule, type ModuleReference, moduleFile } from './work/task-module.js';

export async function run(options: RunOptions): Promise<number> {
  const module = findModule(options.module);
  mustBeApart(filesWritten(options), [moduleFile(options.module, module), ...filesRead(options.input)]);
  const out = options.out === undefined ? undefined : outPath(options.out);
  const source = openInputs(options.input, [out?.path ?? STDOUT, out?.part, options.journal]);
  try {
    const identity = identityOf(options, module, source);
    const resume = options.journal === undefined ? newRun : planResume(options.journal, identity);
    if (resume.kind === 'complete') return alreadyComplete(options, resume.counts);
    const setup = setupOf(options, module);
    const { compareInline } = options;
    const inline = compareInline === undefined ? undefined : await sampleInline(setup, source, compareInline);
    return await new Session({ options, source, setup, identity, resume, inline, out }).run();
  } finally {
    source.close();
  }
}

function filesWritten({ out, journal }: RunOptions): NamedFile[] {
  const output = out === undefined ? { what: 'standard output', file: STDOUT } : named('--out', out);
  return journal === undefined ? [output] : [output, named('--journal', journal)];
}

function setupOf(options: RunOptions, { url, exportName }: ModuleReference): BatchSetup {
  return {
    moduleUrl: url,
    exportName,
    passing: passingOf(options.input),
    format: options.format,
    withInput: options.withInput,
    keepsValues: options.reduce !== undefined,
    stopsAtFailure: options.onError === 'stop',
  };
}

/** Whatever changes the output; not what only changes how it is made, such as --threads. */
function identityOf(options: RunOptions, module: ModuleReference, source: InputSource): JournalIdentity {
  return {
    module: module.url,
    export: module.exportName ?? null,
    input: source.identity,
    out: options.out === undefined ? null : resolve(options.out),
    format: options.format,
    withInput: options.withInput,
  };
}

function alreadyComplete({ journal, quiet }: RunOptions, { inputs, failed }: Counts): number {
  if (!quiet) {
    const failures = failed === 0 ? '' : `, ${failed} of them failed`;
    process.stderr.write(`already complete: journal '${journal}' has ${inputs} inputs${failures}\n`);
  }
  return failed === 0 ? ExitCode.ok : ExitCode.failed;
}
