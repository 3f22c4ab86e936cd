/** Findings as one page that needs no network and runs no script: for a reader who has never used threads, and for one who has. */
import type { Findings } from '../rules/findings.js';
import { duration } from '../../../format/words.js';
import { pageHtml } from '../../../report/page.js';
import { cheapestOf, SHORT } from './explanation.js';
import { factor, middle, NONE, noise, range, shown } from '../../../format/figures.js';
import { sections } from './sections.js';
import { escaped } from '../../../report/html/text.js';
import { subjectName } from './tables.js';

export function renderHtml(findings: Findings): string {
  const { verdict, schemaVersion } = findings;
  return pageHtml({
    sentence: verdict.sentence,
    kind: verdict.answer,
    command: 'threadwise analyze',
    subject: subjectName(findings),
    badge: SHORT[verdict.answer],
    below: keyFigures(findings),
    sections: sections(findings),
    schemaVersion,
  });
}

type Key = readonly [name: string, value: string, more?: string];

function keyFigures({ gain, breakEven, noise: share, samples }: Findings): string {
  const { crossings, inline } = samples;
  const keys: Key[] = [
    ['threads against inline', middle(gain, factor), range(gain, factor)],
    ['a call takes', shown(inline.callMs?.p50, duration), 'median'],
    ['a crossing costs', shown(cheapestOf(crossings), duration), 'CPU time'],
    ['threads pay from', middle(breakEven.runMs, duration), 'running time of a call'],
    ['noise', noise(share), 'repeated runs of the same'],
  ];
  const known = keys.filter(([, value]) => value !== NONE);
  if (known.length === 0) return '';
  const cells = known.map(
    ([name, value, more = '']) =>
      `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}<small>${escaped(more)}</small></dd></div>`,
  );
  return `<dl class="key">${cells.join('\n')}</dl>`;
}
