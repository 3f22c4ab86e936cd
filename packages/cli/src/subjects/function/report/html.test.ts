import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { renderHtml as view } from '../../../report/html/page.js';
import { FAKE_MADE } from '../../../report/made.test.fake.js';
import type { Findings } from '../rules/analyze.js';
import { anyFindings, NO_FIGURE } from './findings.arbitrary.test.fake.js';
import { fakeFindings, fakeSamples, five, hostileFindings, nothingFound } from './findings.test.fake.js';
import { functionReport } from './report.js';

const renderHtml = (findings: Findings): string => view(functionReport(findings), FAKE_MADE);

const VOID = ['meta', 'link'];

/** The elements of a page. Throws where one is not closed. */
function elementsOf(page: string): { name: string; attributes: string }[] {
  const open: string[] = [];
  const found: { name: string; attributes: string }[] = [];
  const markup = page.replace(/^<!doctype html>/, '').replace(/<style>[^<]*<\/style>/, '<style></style>');
  for (const [, end, name = '', attributes = '', isEmpty] of markup.matchAll(/<(\/?)(\w+)([^<>]*?)(\/?)>/g)) {
    if (end === '/') assert.equal(open.pop(), name);
    else {
      found.push({ name, attributes });
      if (isEmpty === '' && !VOID.includes(name)) open.push(name);
    }
  }
  assert.deepEqual(open, []);
  assert.doesNotMatch(markup.replace(/<[^<>]*>/g, ''), /[<>]/, 'no text that could be markup');
  return found;
}

/** The text of a page, without markup and with entities decoded. */
function textOf(page: string): string {
  return page
    .replace(/<style>[^<]*<\/style>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}

const attribute = (attributes: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1];

function checkAccess(page: string): void {
  const elements = elementsOf(page);
  const ids = elements.flatMap(({ attributes }) => attribute(attributes, 'id') ?? []);
  assert.equal(new Set(ids).size, ids.length, 'ids are unique');
  for (const { attributes } of elements) {
    for (const id of attribute(attributes, 'aria-labelledby')?.split(' ') ?? [])
      assert.ok(ids.includes(id), id);
  }
  const headings = elements.flatMap(({ name }) => (/^h[1-6]$/.test(name) ? [Number(name[1])] : []));
  assert.equal(headings[0], 1);
  headings.forEach((level, i) => {
    assert.ok(i === 0 || (level > 1 && level <= headings[i - 1]! + 1), `h${level} after h${headings[i - 1]}`);
  });
  for (const name of ['header', 'main', 'footer', 'h1']) {
    assert.equal(elements.filter((each) => each.name === name).length, 1, name);
  }
  const charts = elements.filter(
    ({ name, attributes }) => name === 'svg' && !attributes.includes('aria-hidden'),
  );
  for (const { attributes } of charts) assert.equal(attribute(attributes, 'role'), 'img');
  for (const { name, attributes } of elements) {
    if (name === 'th') assert.match(attributes, /scope="(row|col)"/);
  }
}

test('the verdict is the heading, and the title; what bears it out comes first, and what it means to a beginner later', () => {
  const page = renderHtml(fakeFindings());
  assert.match(page, /<title>Threads pay: 3\.6 x with 4 threads<\/title>/);
  assert.match(page, /<h1>Threads pay: 3\.6\u00a0x with 4 threads<\/h1>/);
  const titles = [...page.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, title]) => title);
  assert.deepEqual(titles, [
    'Before you believe it',
    'Why',
    'What to do',
    'How many calls a second, by threads',
    'Other ways of calling',
    'When threads begin to pay',
    'Cores and threads',
    'How long the event loop is held up',
    'Memory',
    'One call',
    'The crossing',
    'What keeps more threads from doing more',
    'What this means',
    'How it was measured',
  ]);
});

test('it says when it was made, by which command and version', () => {
  const page = renderHtml(fakeFindings());
  assert.ok(/2030-04-05 06:07 UTC\s+, threadwise 1\.2\.3:\s+threadwise analyze/.test(textOf(page)));
  assert.ok(page.includes('analyze &#39;./&lt;tasks&gt;.js&#39;</code>'));
});

test('batches, leases and placement are drawn where they bring more, beside threads alone', () => {
  assert.deepEqual(rowsOf('Calls a second, by way of calling').slice(1), [
    ['inline', '1,000', '990 to 1,010'],
    ['4 threads', '3,600', '3,600'],
    ['16 inputs a call', '3,800', '3,800'],
  ]);
  const none = renderHtml(fakeFindings({ alternatives: [] }));
  assert.ok(!none.includes('Other ways of calling'));
});

test('nothing is loaded, and nothing runs', () => {
  for (const findings of [fakeFindings(), hostileFindings(), nothingFound()]) {
    const page = renderHtml(findings);
    const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
    assert.ok(page.includes(`<meta http-equiv="Content-Security-Policy" content="${policy}">`));
    const elements = elementsOf(page);
    const names = new Set(elements.map(({ name }) => name));
    for (const name of ['script', 'img', 'iframe', 'object', 'a', 'form'])
      assert.equal(names.has(name), false, name);
    for (const { attributes } of elements) assert.doesNotMatch(attributes, /\s(on\w+|src|style)=/);
    assert.doesNotMatch(page, /url\(|@import|https?:/);
    assert.ok(page.length < 100_000, `${page.length} characters`);
  }
});

test('everybody can read it', () => {
  for (const findings of [fakeFindings(), hostileFindings(), nothingFound()])
    checkAccess(renderHtml(findings));
});

/** The cells of the table that has this caption. */
function rowsOf(caption: string, page = renderHtml(fakeFindings())): string[][] {
  const [, table] = new RegExp(`<caption>${caption}[^<]*</caption>(.*?)</table>`, 's').exec(page)!;
  return [...table!.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => textOf(cell!).trim()),
  );
}

test('each chart has a name, says what it shows, and has its figures in a table', () => {
  const page = renderHtml(fakeFindings());
  assert.match(page, /<title id="rate-title">Rate by number of threads<\/title>/);
  assert.ok(
    page.includes(
      '<desc id="rate-desc">Calls a second. 1 thread: 950; 2 threads: 1,900 (1,800 to 2,000); 4 threads: 3,600; ' +
        '8 threads: 3,500. Inline: 1,000 (990 to 1,010).</desc>',
    ),
  );
  assert.ok(page.includes('Marked: pays from 15 us; your call: 1,000 us.</desc>'));
  assert.deepEqual(rowsOf('Rate by threads')[1]!.slice(0, 4), [
    'none: inline',
    '1,000',
    '990 to 1,010',
    '1 x',
  ]);
  assert.deepEqual(rowsOf('Rate by threads')[3], [
    '2',
    '1,900',
    '1,800 to 2,000',
    '1.9 x',
    '1.1 ms',
    '1.2 ms',
    '80 MiB',
  ]);
  assert.deepEqual(rowsOf('Delay of a timer, 99th percentile').slice(1, 3), [
    ['inline', '48 ms', '48 ms'],
    ['1 thread', '1.2 ms', '1.2 ms'],
  ]);
  assert.deepEqual(rowsOf('Running time of a call, inline').slice(1), [
    ['the first, cold', '12 ms'],
    ['mean', '1.1 ms'],
    ['median (p50)', '1 ms'],
    ['p90', '1.4 ms'],
    ['p99', '2 ms'],
    ['longest', '3 ms'],
  ]);
});

test('what was measured once is no curve, but its figures are there', () => {
  const spins = [{ runMs: 0.01, inline: [100_000], pool: [80_000] }];
  const page = renderHtml(fakeFindings({ samples: fakeSamples({ spins }) }));
  assert.doesNotMatch(page, /id="gain-title"/);
  assert.deepEqual(rowsOf('Gain by running time', page)[1], ['10 us', '100,000', '80,000']);
});

test('the matrix of cores and threads, the darkest where the most is done', () => {
  assert.deepEqual(rowsOf('Calls a second by cores and threads'), [
    ['the program may use', '1 thread', '2 threads', '4 threads'],
    ['1 core', '940', '930', 'not measured'],
    ['2 cores', '950', '1,880 1,860 to 1,900', 'not measured'],
    ['4 cores', 'not measured', '1,900', '3,600'],
  ]);
  const page = renderHtml(fakeFindings());
  // Shares of 3,600 in fifths: 940 is a quarter, 1,880 is more than a half.
  assert.match(page, /<td class="heat-1">940</);
  assert.match(page, /<td class="heat-2">1,880</);
  assert.match(page, /<td class="heat-4">3,600</);
});

/** The coordinates of a curve's points. */
function pointsOf(page: string, id: string): [number, number][] {
  const svg = page.slice(page.indexOf(`id="${id}-title"`));
  const circles = svg.slice(0, svg.indexOf('</svg>')).matchAll(/<circle[^>]*cx="([^"]*)" cy="([^"]*)"/g);
  return [...circles].map(([, x, y]) => [Number(x), Number(y)]);
}

test('the curve is where its figures are', () => {
  const points = pointsOf(renderHtml(fakeFindings()), 'rate');
  assert.equal(points.length, 4);
  const [x1, x2, x4, x8] = points.map(([x]) => x) as [number, number, number, number];
  const [y1, y2, y4] = points.map(([, y]) => y) as [number, number, number];
  // Linear scales: from 1 to 8 threads it is seven times as far as from 1 to 2; the rate grows by 2,650 to 4 threads, by 950 to 2.
  assert.ok(Math.abs((x8 - x1) / (x2 - x1) - 7) < 0.02);
  assert.ok(Math.abs((x4 - x1) / (x2 - x1) - 3) < 0.02);
  assert.ok(Math.abs((y1 - y4) / (y1 - y2) - 2650 / 950) < 0.02);
  // On a logarithmic scale, each factor of ten is as far as the one before.
  const gains = pointsOf(renderHtml(fakeFindings()), 'gain');
  const [a, b, c, d] = gains.map(([x]) => x) as [number, number, number, number];
  assert.ok(Math.abs(b - a - (d - c)) < 0.3);
  // Gains, too: from 0.1 to 0.8 is eight times, from there to 3 it is 3.75 times.
  const [low, middle, high] = gains.map(([, y]) => y) as [number, number, number];
  assert.ok(Math.abs((low - middle) / (middle - high) - Math.log(8) / Math.log(3.75)) < 0.02);
});

test('says to a beginner what the verdict means, whatever it is', () => {
  const { behaviour } = fakeSamples();
  const said = (
    answer: Findings['verdict']['answer'],
    changes: Partial<typeof behaviour> = {},
    crossingMs = 0.0014,
  ): string =>
    textOf(
      renderHtml(
        fakeFindings({
          verdict: { answer, sentence: 'A sentence.' },
          samples: fakeSamples({
            behaviour: { ...behaviour, ...changes },
            crossings: [{ transport: 'shared', cpuMs: five(crossingMs), loneMs: [] }],
          }),
        }),
      ),
    );
  const all = [
    said('threads'),
    said('inline'), // a call of 1.1 ms and a crossing of 1.4 us: the crossing is not the reason
    said('async'),
    said('unknown'),
    said('inline', { uncloneable: { argument: 'a function', result: undefined } }),
    said('inline', { endedInWorker: { exitCode: null, signal: 'SIGSEGV' } }),
    said('inline', { failsInWorker: 'TypeError: process.chdir() is not supported in workers' }),
    said('unknown', { ended: { exitCode: 1, signal: null } }),
  ];
  const expected = [
    /worth the way to another thread.*\(1,000 calls a second\), several threads work at once/,
    /did not get enough more of these calls done than the calling thread by itself/,
    /spends most of its time waiting.*Promise\.all/,
    /Too little was measured for a verdict. Repeated runs of the very same differ by ± 1 %/, // five rounds
    /not everything can be copied/,
    /A part of it, perhaps one that is not JavaScript/,
    /exist only on the main thread, and this function needs one of them/,
    /has to work with these inputs/,
  ];
  assert.match(said('inline', {}, 0.9), /takes more than half as long as the call itself/);
  expected.forEach((pattern, i) => {
    assert.match(all[i]!, pattern);
    assert.match(
      all[i]!,
      /does one thing at a time.*worker thread.*copied to the worker.*1\.4 us.*4 cores.*10 MiB/,
    );
  });
});

test('says nothing in general that the figures of the page speak against', () => {
  const said = (changes: Parameters<typeof fakeFindings>[0]): string =>
    textOf(renderHtml(fakeFindings(changes)));
  const knee = (threads: number) => ({ threads, gain: { value: 3, low: 3, high: 3 } });
  assert.match(said({ knee: knee(4) }), /More threads than that take turns/);
  assert.doesNotMatch(said({ knee: knee(8) }), /More threads than that take turns/);
  assert.doesNotMatch(said({ knee: knee(1) }), /several threads/);
  const { machine } = fakeSamples();
  const cores = (of: number) => fakeSamples({ machine: { ...machine, cores: of, availableThreads: 1 } });
  assert.match(said({ samples: cores(1) }), /lets the program use one core: threads take turns on it/);
  // A quota of 1.5 cores leaves room for one thread that always computes, and for more than one core.
  assert.match(said({ samples: cores(64) }), /has 64 cores, of which a CPU quota.*less than two:/);
  assert.doesNotMatch(said({ samples: cores(64) }), /one core/);
  const waits = fakeSamples({ behaviour: { ...fakeSamples().behaviour, returnsPromise: true } });
  assert.doesNotMatch(said({ samples: waits }), /While a function computes inline/);
  const unknown = { answer: 'unknown', sentence: 'A sentence.' } as const;
  const six = fakeSamples({ inline: { ...fakeSamples().inline, rate: [...five(1000), 1000] } });
  assert.match(
    said({ verdict: unknown, samples: six }),
    /What was measured does not decide it\. Repeated runs/,
  );
  const dear = (changes: Partial<Findings>): string =>
    said({
      verdict: { answer: 'inline', sentence: 'A sentence.' },
      samples: fakeSamples({ crossings: [{ transport: 'shared', cpuMs: five(0.9), loneMs: [] }] }),
      ...changes,
    });
  assert.doesNotMatch(dear({}), /That changes when a call does more at once/, 'it was tried');
  const gain = { value: 3, low: 3, high: 3 };
  const batch = { name: 'batch', gain, changesVerdict: true, sentence: 'with batches' } as const;
  assert.match(dear({ alternatives: [batch] }), /That changes when a call does more at once/);
});

test('no figure speaks against another one of the page', () => {
  const said = (changes: Parameters<typeof fakeFindings>[0]): string =>
    textOf(renderHtml(fakeFindings(changes)));
  const { inline, threads } = fakeSamples();
  // A call takes 1.1 ms of CPU time with its crossing.
  const crossing = (ms: number): string =>
    said({
      samples: fakeSamples({ crossings: [{ transport: 'shared', cpuMs: five(ms), loneMs: [] }] }),
    });
  assert.match(crossing(1), /a crossing costs 1 ms.*Here it costs 1 ms/);
  assert.doesNotMatch(crossing(1.2), /a crossing costs \d|Here it costs/);
  const amdahl = { serialShare: { value: 0.56, low: 0, high: 1 }, error: undefined };
  assert.doesNotMatch(said({ amdahl }), /Amdahl/);
  assert.match(said({ amdahl: { ...amdahl, serialShare: { value: 0.56, low: 0.3, high: 1 } } }), /Amdahl/);
  const waits = said({ verdict: { answer: 'async', sentence: 'A sentence.' } });
  assert.doesNotMatch(waits, /begin to pay|pays from|Gain by running time/);
  const hardlyMore = threads.map((of) => (of.threads === 8 ? { ...of, rate: five(3610) } : of));
  assert.match(
    said({ samples: fakeSamples({ threads: hardlyMore }) }),
    /More than 4 threads brought no more\./,
  );
  const short = { ...inline, callMs: { count: 200, mean: 0.02, p50: 0.02, p90: 0.03, p99: 0.1, max: 4 } };
  const ofShort = renderHtml(fakeFindings({ samples: fakeSamples({ inline: short }) }));
  assert.doesNotMatch(ofShort, /How long the event loop is held up/);
  assert.equal(rowsOf('Rate by threads', ofShort)[1]![5], 'not measured');
  // The bars, their table and the tile have one unit.
  const warm = renderHtml(fakeFindings({ samples: fakeSamples({ inline: { ...short, coldMs: 5 } }) }));
  assert.ok(
    textOf(warm).includes(
      'median (p50): 20 us; p90: 30 us; p99: 100 us; longest: 4,000 us; the first, cold: 5,000 us.',
    ),
  );
  assert.deepEqual(rowsOf('Running time of a call, inline', warm).slice(1), [
    ['the first, cold', '5,000 us'],
    ['mean', '20 us'],
    ['median (p50)', '20 us'],
    ['p90', '30 us'],
    ['p99', '100 us'],
    ['longest', '4,000 us'],
  ]);
});

test('does not promise what was not measured: an event loop that a pool does not free', () => {
  const promise = 'With threads the wait was shorter';
  assert.ok(textOf(renderHtml(fakeFindings())).includes(promise));
  const threads = fakeSamples().threads.map((each) => ({ ...each, loopDelayMs: five(50) }));
  const page = renderHtml(fakeFindings({ samples: fakeSamples({ threads }) }));
  assert.equal(textOf(page).includes(promise), false);
  assert.match(page, /a click has to wait\.<\/p>/);
});

test('what was not measured has no place, and no broken figure', () => {
  const page = renderHtml(nothingFound());
  assert.doesNotMatch(textOf(page), NO_FIGURE);
  const titles = [...page.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, title]) => title);
  assert.deepEqual(titles, ['What to do', 'What this means', 'How it was measured']);
  assert.doesNotMatch(page, /<figure|<dl/);
});

test('any findings: sound, readable, and without a broken figure', () => {
  fc.assert(
    fc.property(anyFindings, (findings) => {
      const page = renderHtml(findings);
      checkAccess(page);
      assert.doesNotMatch(page.replace(/<style>[^<]*<\/style>/, ''), NO_FIGURE);
    }),
  );
});

test('a figure stays on one line with its unit, and so does a short option', () => {
  const page = renderHtml(fakeFindings({ reasons: ['293 MiB and ± 73 % of 4.19 x', 'try `--budget 3m`'] }));
  assert.match(page, /<li>293\u00a0MiB and ±\u00a073\u00a0% of 4\.19\u00a0x<\/li>/);
  assert.match(page, /<li>try <code class="whole">--budget 3m<\/code><\/li>/);
});
