import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { jsonText } from '../../../report/outputs.js';
import { analyze } from '../rules/analyze.js';
import { model, simulate } from '../rules/simulated.test.fake.js';
import { readFindings } from './compare.js';
import { anyFindings } from './findings.arbitrary.test.fake.js';
import { fakeFindings, fakeSamples, nothingFound } from './findings.test.fake.js';

test('what is asked for most comes first, with two spaces', () => {
  const text = jsonText(analyze(simulate(model({}))));
  assert.ok(text.startsWith('{\n  "schemaVersion": 1,\n  "verdict": {\n    "answer": "'), text);
  assert.ok(text.endsWith('\n}\n'));
  assert.deepEqual(Object.keys(JSON.parse(text)), [
    'schemaVersion',
    'verdict',
    'breakEven',
    'recommended',
    'gain',
    'knee',
    'noise',
    'reasons',
    'warnings',
    'limits',
    'amdahl',
    'alternatives',
    'samples',
  ]);
});

test('what there is not is left out', () => {
  const parsed = JSON.parse(jsonText(nothingFound()));
  assert.deepEqual(parsed.breakEven, {});
  assert.deepEqual(parsed.recommended, {});
  for (const name of ['gain', 'knee', 'noise', 'amdahl']) assert.equal(name in parsed, false);
  assert.equal('start' in parsed.samples, false);
});

test('an estimate that came to no number is left out whole; in a series its place stays', () => {
  const samples = fakeSamples({ control: { before: [1, Number.NaN], after: [Number.POSITIVE_INFINITY] } });
  const gain = { value: 2, low: 1, high: Number.POSITIVE_INFINITY };
  const parsed = JSON.parse(jsonText(fakeFindings({ gain, noise: Number.NaN, samples })));
  assert.equal('gain' in parsed, false);
  assert.equal('noise' in parsed, false);
  assert.deepEqual(parsed.samples.control, { before: [1, null], after: [null] });
});

test('what is later added to the findings is written, too', () => {
  const findings = { ...fakeFindings(), addedLater: { to: 'them' } };
  assert.deepEqual(JSON.parse(jsonText(findings)).addedLater, { to: 'them' });
});

test('any findings are JSON that can be read again', () => {
  fc.assert(
    fc.property(anyFindings, (findings) => {
      const text = jsonText(findings);
      assert.equal(jsonText(readFindings(text, 'any.json')), text);
    }),
  );
});
