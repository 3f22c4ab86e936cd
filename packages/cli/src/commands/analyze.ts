/** `threadwise analyze`: its subcommands `server` and `files`, and without one the analysis of a function. */
import type { Command } from 'commander';
import { addAnalyzeFiles } from '../subjects/folder/command.js';
import { addAnalyzeFunction } from '../subjects/function/command.js';
import { addAnalyzeServer } from '../subjects/server/command.js';

export function addAnalyze(program: Command, setExitCode: (code: number) => void): void {
  // Options after a subcommand belong to the subcommand, as those after a command do to the command (`main.ts`).
  const analyze = program.command('analyze').enablePositionalOptions();
  addAnalyzeServer(analyze, setExitCode);
  addAnalyzeFiles(analyze, setExitCode);
  addAnalyzeFunction(analyze, setExitCode);
}
