/** Rows of text in columns, with nothing but space between them. */
import { fitted, widthOf } from './text.js';

/** The lines; a cell may have several. @param aligns of each column; 'left' where nothing is said */
export function inColumns(rows: readonly (readonly string[])[], aligns: ('left' | 'right')[] = []): string[] {
  const lines = rows.flatMap((row) => {
    const cells = row.map((cell) => cell.split('\n'));
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, i) => cells.map((cell) => cell[i] ?? ''));
  });
  const widths = lines[0]?.map((_, i) => Math.max(...lines.map((line) => widthOf(line[i]!)))) ?? [];
  return lines.map((line) => {
    const cells = line.map((cell, i) => fitted(cell, widths[i]!, aligns[i]));
    return cells.join('  ').trimEnd();
  });
}
