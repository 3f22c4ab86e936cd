// Renders results as texts for the terminal, with the tables of the pages.
import { inColumns } from '@threadwise/cli/analysis';
import { formatGoal } from './format.js';
import { cellsOf, titleOf } from './tables.js';

/** The rows in columns, of which the first ones are aligned to the left. @returns lines */
const columns = (rows, left = 1) =>
  inColumns(
    rows.map((row) => row.map(String)),
    rows[0].map((_, i) => (i < left ? 'left' : 'right')),
  );

/** @param scenario a scenario of summary.js @param rounds how many there are usually @returns lines of text */
export function renderScenario(scenario, rounds) {
  const [head, ...rows] = cellsOf(scenario);
  const measured = rows.filter(({ length }) => length === head.length);
  const absent = rows.filter((row) => !measured.includes(row)).map((row) => row.join(': '));
  return [titleOf(scenario, rounds), ...columns([head, ...measured]), ...absent, ''].join('\n');
}

/** What was published, and how it was measured; '' if nothing was. */
export function renderPublished(published) {
  if (published === undefined) return '';
  const { source, machine, method, finding, tables = [] } = published;
  const drawn = tables.flatMap(({ title, head, rows }) => [
    `${title}, as published`,
    ...columns([head, ...rows]),
  ]);
  return [`Published: ${source} (${machine})`, method, `Finding: ${finding}`, ...drawn, ''].join('\n');
}

/** The conclusions, one on each line; '' if there are none. */
export function renderConclusions(conclusions) {
  if (conclusions.length === 0) return '';
  return ['Conclusions, from these figures', ...conclusions.map((sentence) => `- ${sentence}.`), ''].join(
    '\n',
  );
}

/** The goals of all scenarios in one table, except goals of rows that took no part; '' if there are none. */
export function renderGoals(scenarios) {
  const rows = scenarios.flatMap(({ id, metrics, rows: own, goals }) =>
    goals
      .filter(({ of }) => own.some((row) => row.id === of))
      .map((goal) => {
        const { measured, range, verdict } = formatGoal(goal, metrics);
        return [id, goal.text, measured, range, verdict];
      }),
  );
  return rows.length === 0
    ? ''
    : ['Goals', ...columns([['', 'goal', 'measured', 'from - to', 'met'], ...rows], 2), ''].join('\n');
}
