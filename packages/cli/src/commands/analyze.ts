/** `threadwise analyze`: its subcommands `server` and `files`, and without one the analysis of a function. */
import type { Command } from 'commander';
import { addAnalyzeFiles } from '../subjects/folder/command.js';
import { addAnalyzeFunction } from '../subjects/function/command.js';
import { addAnalyzeServer } from '../subjects/server/command.js';

export function addAnalyze(program: Command, setExitCode: (code: number) => void): void {
  // Options after a subcommand belong to it, also where both commands have an option of that name; and `--` is passed on to it.
  const analyze = program.enablePositionalOptions().command('analyze').enablePositionalOptions();
  addAnalyzeServer(analyze, setExitCode);
  addAnalyzeFiles(analyze, setExitCode);
  addAnalyzeFunction(analyze, setExitCode);
}
