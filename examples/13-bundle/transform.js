// The work: turns TypeScript into CommonJS, one module at a time, with either of two transformers.
import { transformSync } from 'esbuild';
import ts from 'typescript';

export const ESBUILD_OPTIONS = { loader: 'ts', format: 'cjs', target: 'es2022', logLevel: 'silent' };
const TYPESCRIPT_OPTIONS = {
  compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  reportDiagnostics: true,
};

/** Uses TypeScript, which runs on the calling thread. Throws a SyntaxError that names the module and the place. */
export function byTypescript({ name, code }) {
  const { outputText, diagnostics } = ts.transpileModule(code, { ...TYPESCRIPT_OPTIONS, fileName: name });
  if (diagnostics.length > 0) {
    const [{ file, start, messageText }] = diagnostics;
    const { line, character } = file.getLineAndCharacterOfPosition(start);
    const message = ts.flattenDiagnosticMessageText(messageText, '\n');
    throw new SyntaxError(`${name}:${line + 1}:${character + 1}: ${message}`);
  }
  return outputText;
}

/** Uses esbuild, which runs in a process of its own while this thread waits. Throws an error that names the module and the place. */
export function byEsbuild({ name, code }) {
  return transformSync(code, { ...ESBUILD_OPTIONS, sourcefile: name }).code;
}
