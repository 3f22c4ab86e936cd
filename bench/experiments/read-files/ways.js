// The six published ways to read a file `times` times. Each calls `onContent` with every content.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { ask, endProcess, startProcess } from '../../fixtures/processes.js';

const readerModule = new URL('./reader-process.js', import.meta.url);

export function loopOfReadFileSync({ path, times, onContent }) {
  for (let i = 0; i < times; i++) onContent(readFileSync(path));
}

export function chainOfReadFileSync({ path, times, onContent }) {
  let chain = Promise.resolve();
  for (let i = 0; i < times; i++) chain = chain.then(() => onContent(readFileSync(path)));
  return chain;
}

export function chainOfReadFile({ path, times, onContent }) {
  let chain = Promise.resolve();
  for (let i = 0; i < times; i++) chain = chain.then(() => readFile(path)).then(onContent);
  return chain;
}

export function allOfReadFileSync({ path, times, onContent }) {
  const readOne = async () => onContent(readFileSync(path));
  return Promise.all(Array.from({ length: times }, readOne));
}

export function allOfReadFile({ path, times, onContent }) {
  const readOne = async () => onContent(await readFile(path));
  return Promise.all(Array.from({ length: times }, readOne));
}

/** The contents stay in the processes, which check them. */
export function loopsInProcesses({ path, times, probes, onChecked }) {
  const processes = Math.min(times, availableParallelism());
  const readPart = async (_, i) => {
    const child = startProcess(readerModule);
    const part = Math.floor((times + i) / processes);
    const { checked } = await ask(child, { path, probes, times: part });
    onChecked(checked);
    return child;
  };
  return Promise.all(Array.from({ length: processes }, readPart)).then((children) => ({
    close: () => Promise.all(children.map(endProcess)),
  }));
}
