// Modules of known sizes that do nothing, to measure how much a thread takes that loads one. Made for a run, and removed afterwards.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inFolder } from '../../fixtures/folder.js';

/** How large the source of each module is. */
export const KIBIBYTES = [0, 256, 1024, 4096];

/** Makes a kibibyte of source: a function of its own, as real code has, and not one large text. */
function functionOf(index) {
  const head = `exports.f${index} = function f${index}(value) {\n  let sum = value;\n`;
  const tail = '  return sum;\n};\n';
  let body = '';
  for (let step = 0; ; step++) {
    const line = `  if (sum > ${step}) sum = (sum * ${index + 3} + ${step}) % 1009;\n`;
    if (head.length + body.length + line.length + tail.length > 1024) break;
    body += line;
  }
  return `${head}${body}${tail}`.padEnd(1024, '\n');
}

export function sourceOf(kibibytes) {
  return Array.from({ length: kibibytes }, (_, i) => functionOf(i)).join('');
}

/** `given.paths`: the path of each module by KiB. */
export const moduleFiles = inFolder((folder) => ({
  paths: Object.fromEntries(
    KIBIBYTES.map((kibibytes) => {
      const path = join(folder, `module-${kibibytes}.cjs`);
      writeFileSync(path, sourceOf(kibibytes));
      return [kibibytes, path];
    }),
  ),
}));
