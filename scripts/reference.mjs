// Writes docs/reference.md: every name that a program can import, from the types, and `pool.stats()` as tables. A test compares the two.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { root } from './prepare.mjs';

const ENTRIES = {
  threadwise: 'index',
  'threadwise/worker': 'worker',
  'threadwise/files': 'files',
  'threadwise/sync': 'sync',
};
const OUT = join(root, 'docs/reference.md');
/** The units of numbers in the statistics: the last sentence of a number's comment is its unit. */
const UNITS = [
  ...[
    'Milliseconds',
    'Milliseconds since the epoch',
    'Bytes',
    'Calls',
    'Calls per second',
    'Tasks',
    'Workers',
  ],
  ...['Times', '0 to 1'],
];
/** Numbers without a unit, which count and measure nothing. */
const NAMES = ['WorkerStats.id'];

const HEAD = `# Reference

Made from the types by \`node scripts/reference.mjs\`. What the calls do, with examples: [the pool](pool.md), [tasks](tasks.md), [files](files.md), [shared structures](sync.md).
`;

/** Makes the page from the compiled types in `dist`. */
export function reference() {
  const files = Object.values(ENTRIES).map((name) => join(root, `packages/threadwise/dist/${name}.d.ts`));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  });
  const checker = program.getTypeChecker();
  const exported = files.map((file) =>
    checker
      .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
  const stats = tables(
    checker,
    exported[0].find(({ name }) => name === 'PoolStats'),
  );
  const entries = Object.keys(ENTRIES).map((entry, i) => {
    const shown = exported[i].filter(({ name }) => !stats.has(name));
    return [`## \`${entry}\`\n`, ...shown.map((symbol) => section(checker, symbol))].join('\n');
  });
  return [HEAD, ...entries, '## What `pool.stats()` says\n', ...stats.values()].join('\n');
}

/** The section of a name: its comment, and its declaration with the comments of its members. */
function section(checker, symbol) {
  const doc = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const tags = symbol
    .getJsDocTags(checker)
    .map(({ name, text }) => `- \`@${name}\` ${ts.displayPartsToString(text)}`);
  const code = symbol.declarations.map((declaration) => codeOf(checker, declaration)).join('\n');
  const lines = [`### ${symbol.name}`, flat(doc), tags.map(flat).join('\n'), `\`\`\`ts\n${code}\n\`\`\``];
  return `${lines.filter((line) => line !== '').join('\n\n')}\n`;
}

function codeOf(checker, declaration) {
  if (ts.isTypeAliasDeclaration(declaration) && ts.isTypeOperatorNode(declaration.type)) {
    const { types } = checker.getTypeAtLocation(declaration); // the names that `keyof` means
    return `type ${declaration.name.text} =\n${types.map(({ value }) => `  | '${value}'`).join('\n')};`;
  }
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return statement
    .getText()
    .replace(/^export (declare )?/, '')
    .replace(/^ *(#private|constructor\(parts: Parts\));\n/gm, '')
    .replace(/^( {4})+/gm, (indent) => indent.slice(indent.length / 2));
}

/** A table for each type of the statistics, by its name; the first is that of the whole. */
function tables(checker, symbol) {
  const made = new Map();
  const waiting = [symbol];
  for (const each of waiting) {
    if (made.has(each.name)) continue;
    made.set(each.name, '');
    const rows = rowsOf(checker, each.name, checker.getDeclaredTypeOfSymbol(each), '', (named) =>
      waiting.push(named),
    );
    const doc = flat(ts.displayPartsToString(each.getDocumentationComment(checker)));
    made.set(
      each.name,
      [
        `### ${each.name}`,
        '',
        doc,
        '',
        '| field | unit or type | meaning |',
        '| --- | --- | --- |',
        ...rows,
        '',
      ].join('\n'),
    );
  }
  return made;
}

function rowsOf(checker, owner, type, prefix, onNamed) {
  return checker.getPropertiesOfType(type).flatMap((property) => {
    const name = prefix + property.name;
    const ofProperty = checker.getNonNullableType(checker.getTypeOfSymbol(property));
    const element = checker.isArrayType(ofProperty) ? checker.getTypeArguments(ofProperty)[0] : ofProperty;
    const named = element.aliasSymbol ?? element.getSymbol();
    const isObject = element.isIntersection() || (element.flags & ts.TypeFlags.Object) !== 0;
    const isNamed =
      isObject && named !== undefined && !named.name.startsWith('__') && named.name !== 'Readonly';
    if (isObject && !isNamed) return rowsOf(checker, owner, element, `${name}.`, onNamed);
    const doc = flat(ts.displayPartsToString(property.getDocumentationComment(checker)));
    const [, meaning, unit] = /^(?:(.*?) )?([^.]+)\.$/.exec(doc) ?? [];
    const isMeasure = element.flags & ts.TypeFlags.Number && !NAMES.includes(`${owner}.${name}`);
    if (doc === '' || (isMeasure && !(UNITS.includes(unit) && meaning)))
      throw new Error(
        `${owner}.${name} needs a comment${isMeasure ? ' that ends with its unit' : ''}: "${doc}"`,
      );
    if (isNamed) onNamed(named);
    const link = isNamed ? `[${named.name}](#${named.name.toLowerCase()})` : undefined;
    const kind =
      link === undefined ? wordFor(checker, element) : element === ofProperty ? link : `list of ${link}`;
    return [`| \`${name}\` | ${isMeasure ? unit.toLowerCase() : kind} | ${isMeasure ? meaning : doc} |`];
  });
}

function wordFor(checker, type) {
  if (type.flags & ts.TypeFlags.BooleanLike) return 'true or false';
  if (type.flags & ts.TypeFlags.String) return 'text';
  if (type.flags & ts.TypeFlags.Number) return 'number';
  const all = type.isUnion() ? type.types : [type];
  return all.map((each) => `\`${checker.typeToString(each).replaceAll('"', "'")}\``).join(' or ');
}

function flat(text) {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(OUT, reference());
