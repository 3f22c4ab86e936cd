/** The views of a server's findings: what is in them, and that no text of the user's, or of his app, becomes part of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { widthOf } from '../../format/text.js';
import { renderHtml } from '../../report/html/page.js';
import { FAKE_MADE } from '../../report/made.test.fake.js';
import { renderMarkdown } from '../../report/markdown.js';
import { jsonText, outputsOf } from '../../report/outputs.js';
import { renderTerminal } from '../../report/terminal.js';
import { serverReport } from './report.js';
import { findServer, type ServerFindings } from './rules/find.js';
import { fakeServer } from './rules/samples.test.fake.js';

const HOSTILE = '<script>alert(1)</script> | `x` \x1b[2J [a](http://example.org)\n# b';

const usual = findServer(
  fakeServer({
    asIs: { rate: 1000, p99Ms: 60 },
    offloaded: { rate: 1500, p99Ms: 40 },
    cluster: { rate: 1900, p99Ms: 30 },
  }),
);
const hostile = findServer(
  fakeServer({
    asIs: { rate: 1000, ended: { exitCode: 1, signal: null, lastWords: HOSTILE } },
    cluster: { rate: Number.NaN },
    subject: { module: HOSTILE, routes: [HOSTILE], offload: [HOSTILE], environment: HOSTILE },
    more: { notes: [HOSTILE], skipped: [{ what: HOSTILE, why: HOSTILE }] },
  }),
);
const nothing = findServer(fakeServer({ asIs: { rate: 0 }, rounds: 0 }));
const all: Readonly<Record<string, ServerFindings>> = { usual, hostile, nothing };

for (const [name, findings] of Object.entries(all)) {
  test(`terminal: the sentence first, no line wider than it, nothing that steers it: ${name}`, () => {
    for (const columns of [30, 80, 200]) {
      const text = renderTerminal(serverReport(findings), { columns, isColor: false, isVerbose: true });
      assert.ok(text.split('\n').every((line) => widthOf(line) <= columns));
      assert.ok(text.startsWith(findings.verdict.sentence.slice(0, 12)));
      assert.ok(!text.includes('\x1b'));
    }
  });

  test(`Markdown: no markup but its own: ${name}`, () => {
    const text = renderMarkdown(serverReport(findings));
    assert.ok(!text.includes('<script'));
    assert.ok(!/^# b/m.test(text));
    const rows = text.split('\n').filter((line) => line.startsWith('| '));
    const cells = rows.map((row) => row.replaceAll('\\|', '').split('|').length);
    assert.ok(
      cells.every((count) => [4, 10].includes(count)),
      cells.join(),
    );
  });

  test(`HTML: nothing that runs or loads: ${name}`, () => {
    const text = renderHtml(serverReport(findings), FAKE_MADE);
    assert.ok(!text.includes('<script'));
    assert.ok(!/(?:src|href)="http/.test(text));
    assert.match(text, /Content-Security-Policy" content="default-src 'none'/);
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, 'each id once');
  });

  test(`JSON: can be read again, and has no null but in a series: ${name}`, () => {
    const { samples, ...rest } = JSON.parse(jsonText(findings));
    assert.equal(rest.verdict.sentence, findings.verdict.sentence);
    assert.ok(!JSON.stringify(rest).includes('null'));
    assert.equal(samples.asIs.rate.length, findings.samples.asIs.rate.length);
  });
}

test('all ways are in the tables, with what they bring', () => {
  const text = renderTerminal(serverReport(usual), { columns: 120, isColor: false, isVerbose: true });
  for (const name of ['as it is', 'as it is, again', 'offloaded, 4 threads', 'cluster, 4 processes']) {
    assert.ok(text.includes(name), name);
  }
  assert.match(text, /cluster, 4 processes .* 1\.9\d? x /);
});

test('an ending that there is no view for is refused, with those that there are', () => {
  assert.throws(() => outputsOf(['a.pdf']), /ends in \.json, \.html, \.md, got 'a\.pdf'/);
});

test('the recommended code has the names that files and functions have, also long ones and such of other letters', () => {
  const code = (offload: string) =>
    serverReport(
      findServer(
        fakeServer({
          asIs: { rate: 1000, p99Ms: 60 },
          offloaded: { rate: 3000, p99Ms: 20 },
          subject: { offload: [offload] },
        }),
      ),
    )
      .recommended!.code(100)
      .join('\n');
  for (const file of ['größe.mjs', 'monthly statements.js', 'calculate-monthly-statements.worker.js'])
    for (const name of ['größe', '計算', 'calculateMonthlyStatementsOfAllCustomers']) {
      const text = code(`./src/${file}#${name}`);
      assert.ok(text.includes(`new URL('./${file}', import.meta.url)`), text);
      assert.ok(text.includes(`pool.run('${name}', […])`), text);
    }
  const odd = code("./a'b.js#a'b");
  assert.ok(odd.includes("new URL('./tasks.js'") && odd.includes("run('task'"), odd);
});

test('the recommended code runs each function that was offloaded, in a pool of its own module', async () => {
  const offload = ['./tasks.js#render, sum', './b/other.mjs#count', './tasks.js#sum,default'];
  const { recommended } = serverReport(
    findServer(
      fakeServer({
        asIs: { rate: 1000, p99Ms: 60 },
        offloaded: { rate: 3000, p99Ms: 20 },
        subject: { offload },
      }),
    ),
  );
  const [imported, ...code] = recommended!.code(100);
  assert.equal(imported, "import { createPool } from 'threadwise';");
  const pools: string[] = [];
  const ran: string[] = [];
  const createPool = ({ pathname }: URL) => {
    pools.push(pathname);
    return { run: (name: string) => ran.push(`${pathname}#${name}`) };
  };
  const text = code.join('\n').replaceAll('[…]', '[]').replaceAll('import.meta.url', "'file:///'");
  await (new Function('createPool', `return (async () => {${text}})()`) as (given: unknown) => unknown)(
    createPool,
  );
  assert.deepEqual(pools, ['/tasks.js', '/other.mjs']);
  assert.deepEqual(ran, ['/tasks.js#render', '/tasks.js#sum', '/tasks.js#default', '/other.mjs#count']);
});

test('beside a CommonJS app the recommended code is CommonJS', () => {
  const asIs = { rate: 1000, p99Ms: 60 };
  const code = (changed: object) =>
    serverReport(findServer(fakeServer({ asIs, ...changed }))).recommended!.code(100);
  const subject = { module: 'main.js', form: 'listens', isCommonJs: true } as const;
  const cluster = code({ cluster: { rate: 1900, p99Ms: 30 }, subject });
  assert.deepEqual(
    [cluster[0], cluster.at(-2)],
    ["const cluster = require('node:cluster');", "  require('./main.js');"],
  );
  const offload = ['./tasks.js#render'];
  assert.deepEqual(
    code({ offloaded: { rate: 3000, p99Ms: 20 }, subject: { ...subject, offload } }).slice(0, 3),
    [
      "const { createPool } = require('threadwise');",
      '',
      "const pool = createPool(require.resolve('./tasks.js'), { threads: 4 });",
    ],
  );
});

test('the recommended code of a cluster does not run where it does not say how the server is started: it would start processes without an end', () => {
  const code = (form: 'listener' | 'server' | 'listens') => {
    const ways = { asIs: { rate: 1000, p99Ms: 60 }, cluster: { rate: 1900, p99Ms: 30 } };
    const { recommended } = serverReport(findServer(fakeServer({ ...ways, subject: { form } })));
    const [imported, ...rest] = recommended!.code(100);
    assert.equal(imported, "import cluster from 'node:cluster';");
    return `return (async () => {${rest.join('\n')}})()`;
  };
  for (const form of ['listener', 'server'] as const)
    assert.throws(() => new Function('cluster', code(form)), SyntaxError);
  assert.equal(typeof new Function('cluster', code('listens')), 'function');
});
