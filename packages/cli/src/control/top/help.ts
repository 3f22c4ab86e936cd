/** What the keys of `top` do, on a screen of 40 columns and 15 rows. */

const keys: readonly (readonly [key: string, what: string])[] = [
  ['up k, down j', 'select a pool'],
  ['s', 'sort by another column'],
  ['S', 'sort the other way round'],
  ['+ -', 'one thread more, or less'],
  ['p', 'pause, or resume'],
  ['r', 'replace workers, in turn'],
  ['q', 'quit'],
];

export function helpLines(): string[] {
  return [
    ...keys.map(([key, what]) => `${key.padEnd(13)}${what}`),
    '',
    '+ - p r ask first; only y does it.',
    'Figures: once a second. RUN50, RUN99:',
    'median and 99th percentile. MAIN: how',
    'busy the main thread is. - not known.',
  ];
}
