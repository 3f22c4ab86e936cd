// docs/experiments.md and docs/performance.md, and their pictures. Made from the saved results; the texts are made anew, so that
// they are always those of the present analysis.
import { DOCUMENTS } from '../documents.js';
import { formatNumber, NONE } from './format.js';
import { placeOf } from './markdown.js';
import { renderPicture } from './picture/picture.js';
import { load } from './results.js';
import { cellsOf, curveTables, table, titled, titleOf } from './tables.js';
import { withInline } from '../conclusions/rows.js';
import { conclude, toolsFor } from '../conclusions/tools.js';
import { FOUND, ofAll, UNTESTABLE } from '../conclusions/finding.js';

const MADE = "<!-- Made by 'threadwise bench report' from bench/results: not to be edited. -->";

/** All experiments with their saved results, from which the pages are made. */
export function saved(experiments) {
  return experiments.map((experiment) => ({ experiment, result: load(experiment.id) }));
}

/** @param all [{ experiment, result }]; result: undefined if not measured yet @returns { [path below docs/]: text } */
export function renderDocuments(all) {
  const [documents, ours] = [true, false].map((isWanted) =>
    all.filter(({ experiment: { published } }) => (published !== undefined) === isWanted),
  );
  const sorted = documents.toSorted((a, b) => placeIn(a) - placeIn(b));
  return {
    'experiments.md': [...firstScreen(sorted), ...sorted.flatMap(section)].join('\n'),
    'performance.md': [...performanceHead(ours), ...ours.flatMap(section)].join('\n'),
    ...Object.fromEntries(all.flatMap(pictureOf)),
  };
}

/** The order of experiments: that of their documents. */
const ORDER = DOCUMENTS.flatMap(({ experiments }) => experiments);
const placeIn = ({ experiment: { id } }) => ORDER.indexOf(id);

/** Each document, its author, its claim, and whether that holds here. */
function firstScreen(all) {
  const rows = all.map(({ experiment, result }) => {
    const { id, page } = experiment;
    const { title, author, experiments } = DOCUMENTS.find((one) => one.experiments.includes(id));
    const isFirst = experiments[0] === id;
    const found = verdictOf(experiment, result);
    const why = result === undefined ? '' : page.why(...materialOf(result));
    return [
      isFirst ? `*${title}*<br>${author}` : '',
      `[${page.claim}](#${id})`,
      `**${found.replaceAll(' ', '\u{a0}')}**`,
      why,
    ];
  });
  return [
    MADE,
    '# The experiments',
    '',
    'Five documents on threads in Node.js, each experiment made again by its own method, and judged on the program of the document ' +
      'as it is rebuilt here, not on ours. In brackets: intervals of 95 %.',
    '',
    ...table(['document', 'claim', 'here', 'why'], rows),
    '',
    `${measuredAt(all)} [How it is measured](../bench/README.md); [what threadwise costs](performance.md).`,
    '',
  ];
}

function performanceHead(all) {
  return [
    MADE,
    '# Performance',
    '',
    `What a call across costs, where calls should run, and on how many threads: threadwise beside the published pools. ${measuredAt(all)} ` +
      '[The experiments of published documents](experiments.md) are on a page of their own.',
    '',
  ];
}

/** The verdict on all claims of an experiment, judged on the document's own program as it is rebuilt here. */
function verdictOf({ judge }, result) {
  if (result === undefined || !result.scenarios.some(hasRebuilt)) return 'not measured';
  return FOUND.get(ofAll(judge(...materialOf(result)).map(({ holds }) => holds)));
}

const hasRebuilt = ({ rows }) =>
  rows.some(({ role, figures }) => role === 'as-published' && Object.keys(figures).length > 0);

/** The arguments for conclusions and pages. */
const materialOf = ({ scenarios, machine }) => [withInline(scenarios), toolsFor(machine)];

/** The machines, the commits and the loads before the measurements. */
function measuredAt(all) {
  const results = all.flatMap(({ result }) => result ?? []);
  if (results.length === 0) return 'Nothing is measured yet.';
  const several = (values) => [...new Set(values)].join(', ');
  const commits = results.map(({ git }) =>
    git === undefined ? 'no commit' : `${git.commit.slice(0, 7)}${git.hasChanges ? ' with changes' : ''}`,
  );
  const loads = results.flatMap(({ machine }) => machine.loadAverage?.[0] ?? []);
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map(formatNumber);
  const machines = results.map(
    ({ machine }) => `${machine.cores} cores of ${machine.cpu}, Node ${machine.node}`,
  );
  return `Measured on ${several(machines)}, commit ${several(commits)}, load before ${least === most ? least : `${least} to ${most}`}.`;
}

/** The section of an experiment: a question, a picture, three sentences; all else is folded. */
function section({ experiment, result }) {
  const { id, page } = experiment;
  const head = [`## ${id}`, '', `**${page.question}**`, ''];
  if (result === undefined)
    return [
      ...head,
      `Not measured yet on this machine: \`threadwise bench ${id}\`.`,
      '',
      ...method(experiment),
    ];
  const picture = page.picture(...materialOf(result));
  const isDrawn = renderPicture(picture) !== undefined;
  return [
    ...head,
    ...(isDrawn ? [`![${escapeAlt(picture.title)}](${pathOf(id)})`, ''] : []),
    prose(page.says(...materialOf(result)).join(' ')),
    '',
    ...claims(experiment, result),
    ...method(experiment),
    ...figures(experiment, result),
  ];
}

const pathOf = (id) => `images/${id}.svg`;
const escapeAlt = (text) => text.replace(/[[\]]/g, '');

function pictureOf({ experiment: { id, page }, result }) {
  const picture = result && renderPicture(page.picture(...materialOf(result)));
  return picture === undefined ? [] : [[pathOf(id), picture]];
}

/** Escapes what looks like HTML. */
const prose = (text) => text.replaceAll('<', '&lt;');

const folded = (summary, lines) =>
  lines.length === 0 ? [] : ['<details>', `<summary>${summary}</summary>`, '', ...lines, '</details>', ''];

function claims({ judge }, result) {
  if (judge === undefined) return [];
  const parts = judge(...materialOf(result));
  const lines = parts.map(({ claim, holds, said }) =>
    prose(`- ${claim}: **${FOUND.get(holds)}**${holds === UNTESTABLE ? '' : ` (${said})`}`),
  );
  return folded('The claims, one by one', [...lines, '']);
}

/** The published method, and what differs here; of an experiment of ours, how it is measured. */
function method({ published, differs }) {
  if (published === undefined) return differs === undefined ? [] : folded('The method', [prose(differs), '']);
  const { source, machine, method: text, finding } = published;
  return folded('The method, and where ours differs', [
    ...[prose(`${source} (${machine}). ${text}`), '', prose(`Found: ${finding}`), ''],
    ...(differs === undefined ? [] : [prose(`Here: ${differs}`), '']),
  ]);
}

function figures(experiment, result) {
  const { published } = experiment;
  const { scenarios, rounds } = result;
  const there = (published?.tables ?? []).flatMap(({ title, head, rows }) =>
    titled(`${title}, as published`, [head, ...rows]),
  );
  const shown = scenarios.flatMap(({ rows, metrics: [metric] }) => rows.map((row) => ({ row, metric })));
  const conclusions = conclusionsOf(experiment, result).map((sentence) => prose(`- ${sentence}.`));
  return folded(published === undefined ? 'The figures' : 'The figures, published and here', [
    ...there,
    ...scenarios
      .filter(({ x }) => x === undefined)
      .flatMap((scenario) => titled(titleOf(scenario, rounds), cellsOf(scenario))),
    ...curveTables(experiment, scenarios, rounds),
    ...ownTables(experiment, result),
    ...(conclusions.length === 0 ? [] : ['What follows from them:', '', ...conclusions, '']),
    ...[[placeOf(result, shown), ...circumstances(result)].join(' '), ''],
  ]);
}

/** The tables that only this experiment has. */
function ownTables({ tables = () => [] }, { scenarios, machine }) {
  return tables(scenarios, toolsFor(machine)).flatMap(({ title, head, rows }) =>
    titled(title, [head, ...rows.map((row) => row.map((cell) => cell ?? NONE))]),
  );
}

/** The experiment's conclusions. Goals are of interest to us only, and left out. */
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

/** The versions that were measured, and how long it took. */
function circumstances({ scenarios, durationMs }) {
  const rows = scenarios.flatMap((scenario) => scenario.rows);
  const versions = new Set(rows.flatMap((row) => (row.version ? [`${row.package} ${row.version}`] : [])));
  return [
    ...(versions.size > 0 ? [`${[...versions].toSorted().join(', ')}.`] : []),
    ...(durationMs === undefined ? [] : [`It took ${formatNumber(durationMs / 60_000)} minutes.`]),
  ];
}
