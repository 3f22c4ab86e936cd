/** `threadwise analyze`: a function, or what the command behind it names. */
import type { Command } from 'commander';
import { addAnalyzeFiles } from '../subjects/folder/command.js';
import { addAnalyzeFunction } from '../subjects/function/command.js';
import { addAnalyzeServer } from '../subjects/server/command.js';

export function addAnalyze(program: Command, setExitCode: (code: number) => void): void {
  const analyze = program.command('analyze');
  addAnalyzeServer(analyze, setExitCode);
  addAnalyzeFiles(analyze, setExitCode);
  addAnalyzeFunction(analyze, setExitCode);
}
