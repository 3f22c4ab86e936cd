/** Rows of text in columns, with nothing but space between them. */
import Table from 'cli-table3';

type Align = 'left' | 'right';

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((edge) => [edge, `${edge}-mid`, `${edge}-left`, `${edge}-right`])
    .concat('middle')
    .map((name) => [name, '']),
);

/** Returns the lines. @param aligns the alignment of each column; 'left' by default */
export function inColumns(rows: readonly (readonly string[])[], aligns: Align[] = []): string[] {
  const table = new Table({
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [], compact: true },
    colAligns: aligns,
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}
