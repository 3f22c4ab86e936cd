import assert from 'node:assert/strict';
import { test } from 'node:test';
import { always, curveOf, MACHINE } from '../report/made-up.js';
import { curveAgrees } from './shapes.js';

/** A published curve: best with as many threads as cores, slower beyond. */
const published = {
  points: [
    [1, 400],
    [2, 200],
    [4, 100],
    [8, 150],
  ],
  better: 'lower',
  cores: 4,
};
const here = (values, rounds = always) => curveOf([1, 2, 4], { threadwise: values.map(rounds) });
const agrees = (values, rounds) => curveAgrees(MACHINE, published, here(values, rounds), 'threadwise', 'ms');

test('the same shape, on fewer cores and with other times: it bends at the number of cores', () => {
  const found = agrees([50, 26, 40]);
  assert.equal(found.agrees, true);
  assert.equal(
    found.sentence,
    'Published, on 4 cores: gets faster up to the number of cores (4 x), slower beyond (0.67 x). ' +
      'Here, on 2, threadwise: gets faster up to the number of cores (1.9 x), slower beyond (0.65 x): the curve has the published shape',
  );
});

for (const [what, values] of [
  ['more threads bring nothing', [50, 50, 70]],
  ['it goes on getting faster', [50, 26, 13]],
  ['it stays the same beyond', [50, 26, 26]],
]) {
  test(`another shape: ${what}`, () => {
    const found = agrees(values);
    assert.equal(found.agrees, false);
    assert.match(found.sentence, /that is not the published shape$/);
  });
}

test('cannot tell: noise, one round, too few points, or too little that was published', () => {
  const noisy = [
    [50, 25, 100, 50, 75],
    [40, 80, 20, 60, 40],
    [45, 20, 70, 90, 30],
  ];
  for (const found of [
    curveAgrees(MACHINE, published, curveOf([1, 2, 4], { threadwise: noisy }), 'threadwise', 'ms'),
    agrees([50, 26, 40], (value) => [value]),
    curveAgrees(MACHINE, published, here([50, 26, 40]).slice(0, 2), 'threadwise', 'ms'),
    curveAgrees(MACHINE, published, here([50, 26, 40]), 'nobody', 'ms'),
    curveAgrees(MACHINE, { ...published, cores: undefined }, here([50, 26, 40]), 'threadwise', 'ms'),
  ]) {
    assert.equal(found.agrees, undefined, found.sentence);
    assert.match(found.sentence, /cannot (be told|tell)|not measured/);
  }
});
