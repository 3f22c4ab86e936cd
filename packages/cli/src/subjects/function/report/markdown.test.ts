import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { renderMarkdown as view } from '../../../report/markdown.js';
import type { Findings } from '../rules/analyze.js';
import { anyFindings, NO_FIGURE } from './findings.arbitrary.test.fake.js';
import { fakeFindings, fakeSamples, hostileFindings, nothingFound } from './findings.test.fake.js';
import { functionReport } from './report.js';

const renderMarkdown = (findings: Findings): string => view(functionReport(findings));

test('the verdict is the title, and tables have the figures', () => {
  const lines = renderMarkdown(fakeFindings()).split('\n');
  assert.equal(lines[0], '# Threads pay: 3.6 x with 4 threads');
  const at = lines.indexOf('## Rate by threads');
  assert.deepEqual(lines.slice(at + 2, at + 7), [
    '| threads | calls/s | 95 % interval | x inline | CPU per call | loop delay p99 | memory |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    '| none: inline | 1,000 | 990 to 1,010 | 1 x | 1 ms | 48 ms | 60 MiB |',
    '| 1 | 950 | 950 | 0.95 x | 1.1 ms | 1.2 ms | 70 MiB |',
    '| 2 | 1,900 | 1,800 to 2,000 | 1.9 x | 1.1 ms | 1.2 ms | 80 MiB |',
  ]);
  const gain = lines.indexOf('## Gain by running time');
  assert.deepEqual(lines.slice(gain + 4, gain + 8), [
    '| 1 us | 0.1 x | 0.1 x | 1,000,000 | 100,000 |',
    '| 10 us | 0.8 x | 0.8 x | 100,000 | 80,000 |',
    '| 0.1 ms | 3 x | 2.9 to 3.1 x | 10,000 | 30,000 |',
    '| 1 ms | 3.7 x | 3.7 x | 1,000 | 3,700 |',
  ]);
});

test('code in our own sentences stays code; what a program says is text', () => {
  const text = renderMarkdown(
    fakeFindings({ warnings: ['1. <b>|[x](y) *not* ~~bold~~ `code` ` end', '# no title'] }),
  );
  assert.match(text, /^- with `placement: 'auto'`: 1\.1 x/m);
  assert.ok(
    text.includes('\n- 1\\. &lt;b&gt;\\|\\[x\\](y) \\*not\\* \\~\\~bold\\~\\~ `code` \\` end\n'),
    text,
  );
  assert.ok(text.includes('\n- \\# no title\n'));
});

test('a hostile text makes no heading, no row, no column, no element', () => {
  const shape = (text: string): string[] =>
    text.split('\n').filter((line) => /^#/.test(line) && !line.startsWith('# '));
  const text = renderMarkdown(hostileFindings());
  assert.deepEqual(shape(text), shape(renderMarkdown(fakeFindings())));
  assert.equal(text.includes('<') || text.includes('\x1b'), false);
  const rows = text.split('\n').filter((line) => line.startsWith('| processor'));
  assert.equal(rows.length, 1);
  assert.equal(rows[0]!.replace(/\\\|/g, '').split('|').length, 4);
});

test('what was not measured is not told', () => {
  const text = renderMarkdown(nothingFound());
  assert.equal(text.split('\n')[0], '# Cannot tell: not enough was measured');
  assert.doesNotMatch(text, NO_FIGURE);
  assert.doesNotMatch(text, /## (Why|Rate|Gain|Calls)/);
  const noSpins = renderMarkdown(fakeFindings({ samples: fakeSamples({ spins: [], cores: [] }) }));
  assert.doesNotMatch(noSpins, /## (Gain|Calls)/);
});

test('any findings: it never throws, and shows figures or says that there are none', () => {
  fc.assert(
    fc.property(anyFindings, (findings) => {
      assert.doesNotMatch(renderMarkdown(findings), NO_FIGURE);
    }),
  );
});
