// The work, plainly: TypeScript becomes CommonJS, a module at a time, by two transformers of the same kind of output.
import { transformSync } from 'esbuild';
import ts from 'typescript';

export const ESBUILD_OPTIONS = { loader: 'ts', format: 'cjs', target: 'es2022', logLevel: 'silent' };
const TYPESCRIPT_OPTIONS = {
  compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  reportDiagnostics: true,
};

/** Written in JavaScript: it runs on the thread that calls it. Throws a SyntaxError that names the module and the place. */
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

/** Written in Go: it runs in a process of its own, which this thread waits for. Throws an error that names the module and the place. */
export function byEsbuild({ name, code }) {
  return transformSync(code, { ...ESBUILD_OPTIONS, sourcefile: name }).code;
}
