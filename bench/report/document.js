// docs/experiments.md: each experiment with what was published, what was measured here, and what follows from it. Made from the
// saved results; only the conclusions are drawn anew, so that they are always those of the analysis as it is now.
import { perCent } from '@threadwise/cli/analysis';
import { curveTables, NONE, scenarioTable, table } from './document-tables.js';
import { formatNumber } from './format.js';
import { placeOf } from './markdown.js';
import { renderPlots } from './plot.js';
import { load } from './results.js';
import { median } from '../conclusions/statistics.js';
import { conclude, toolsFor } from '../conclusions/tools.js';

const HEAD = `<!-- Made by 'threadwise bench report' from bench/results: not to be edited. -->
# The experiments

Published documents about threads in Node.js, each with its method rebuilt in our own words and code, beside this library, the
published pools, and the same work without threads. The figures of a document are those of its machine: what can be compared is who
wins and where a curve bends, and never the milliseconds. The conclusions are drawn by the same analysis as those of
[\`threadwise analyze\`](analyze.md), none is written by hand; where rounds differ too much for one, they say so.
[bench/README.md](../bench/README.md) tells how it is measured.

\`\`\`sh
threadwise bench hash-direct --quick   # a look at one, in a clone of the repository
threadwise bench hash-direct           # measured: several minutes; all of them without an id
threadwise bench report                # this page, and the tables of the README
\`\`\`
`;

/** All experiments with their saved results: what the page is made of. */
export function saved(experiments) {
  return experiments.map((experiment) => ({ experiment, result: load(experiment.id) }));
}

/** @param all [{ experiment, result }], result undefined: not measured yet @returns Markdown */
export function renderDocument(all) {
  const sorted = all.toSorted((a, b) => compareText(sourceOf(a), sourceOf(b)));
  return `${[HEAD, contents(sorted), ...sorted.map(section)].join('\n')}`;
}

/** Those of documents first, in their order; ours last. */
const sourceOf = ({ experiment: { published, id } }) =>
  `${published === undefined ? 1 : 0} ${published?.source ?? ''} ${id}`;

const compareText = (a, b) => (a < b ? -1 : Number(a > b));

function contents(all) {
  const rows = all.map(({ experiment: { id, title, published }, result }) => [
    `[${id}](#${id})`,
    title,
    published?.source ?? 'ours',
    result === undefined ? 'not yet' : result.date.slice(0, 10),
  ]);
  return [...table(['id', 'what', 'from', 'measured'], rows), ''].join('\n');
}

function section({ experiment, result }) {
  const { id, title } = experiment;
  return [
    `## ${id}`,
    '',
    prose(`${title}.`),
    '',
    ...published(experiment),
    ...measured(experiment, result),
  ].join('\n');
}

/** What looks like HTML is none. */
const prose = (text) => text.replaceAll('<', '&lt;');

function published({ published: of }) {
  if (of === undefined) return [];
  const tables = (of.tables ?? []).flatMap(({ title, head, rows }) => [
    `${title}, as published:`,
    '',
    ...table(head, rows, { isFigures: true }),
    '',
  ]);
  return [
    ...['### Published', '', prose(`${of.source} (${of.machine}). ${of.method}`), ''],
    ...[prose(`Finding: ${of.finding}`), '', ...tables],
  ];
}

function measured(experiment, result) {
  const { differs, id } = experiment;
  const method = differs === undefined ? [] : [prose(differs), ''];
  const head = ['### Here', '', ...method];
  if (result === undefined)
    return [...head, `Not measured yet on this machine: \`threadwise bench ${id}\`.`, ''];
  const { scenarios } = result;
  const plots = renderPlots(experiment, scenarios).flatMap((text) => ['```text', text, '```', '']);
  const conclusions = conclusionsOf(experiment, result).map((sentence) => prose(`- ${sentence}.`));
  return [
    ...head,
    ...scenarios.filter(({ x }) => x === undefined).flatMap(scenarioTable),
    ...curveTables(experiment, scenarios),
    ...ownTables(experiment, result),
    ...plots,
    ...(conclusions.length === 0 ? [] : ['Conclusions:', '', ...conclusions, '']),
    ...[`${placeOf(result)} ${circumstances(result)}`, ''],
  ];
}

/** Those that only this experiment has. */
function ownTables({ tables = () => [] }, { scenarios, machine }) {
  return tables(scenarios, toolsFor(machine)).flatMap(({ title, head, rows }) => {
    const cells = rows.map((row) => row.map((cell) => cell ?? NONE));
    return [`**${title}**`, '', ...table(head, cells, { isFigures: true }), ''];
  });
}

function conclusionsOf(experiment, result) {
  try {
    return conclude(experiment, result);
  } catch (error) {
    const { id } = experiment;
    throw new Error(
      `The saved result of '${id}' does not fit its conclusions any more (${error.message}): threadwise bench ${id}`,
      { cause: error },
    );
  }
}

/** How far the figures can be trusted: versions, and how much rounds of the same differ. */
function circumstances({ scenarios, machine, git }) {
  const rows = scenarios.flatMap((scenario) =>
    scenario.rows.map((row) => ({ row, metric: scenario.metrics[0].id })),
  );
  const versions = new Set(rows.flatMap(({ row }) => (row.version ? [`${row.package} ${row.version}`] : [])));
  const noises = rows.flatMap(({ row, metric }) => row.figures[metric]?.noise ?? []);
  const [load] = machine.loadAverage ?? [];
  const sentences = [
    versions.size > 0 && `${[...versions].toSorted().join(', ')}.`,
    noises.length > 0 &&
      `From the lowest to the highest round it is ${perCent(median(noises))} of a figure (the median of all rows), ${perCent(Math.max(...noises))} at most.`,
    load !== undefined && `Load of the machine before: ${formatNumber(load)}.`,
    git?.hasChanges && 'Files differed from that commit.',
  ];
  return sentences.filter(Boolean).join(' ');
}
