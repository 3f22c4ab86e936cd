import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExposition } from './exposition.js';

test('reads families with their samples', () => {
  const text = `# HELP queue_size Tasks that wait,\\nand "wait".
# TYPE queue_size gauge
queue_size{pool="images",kind="a,b}\\"c\\\\"} 37
queue_size 1.5e3 1700000000000

# TYPE run_seconds histogram
run_seconds_bucket{le="0.1"} 2
run_seconds_bucket{le="+Inf"} 3
run_seconds_sum 0.25
run_seconds_count 3
# a remark
lonely_total NaN
`;
  assert.deepEqual(parseExposition(text), [
    {
      name: 'queue_size',
      type: 'gauge',
      help: 'Tasks that wait,\nand "wait".',
      samples: [
        { name: 'queue_size', labels: { pool: 'images', kind: 'a,b}"c\\' }, value: 37 },
        { name: 'queue_size', labels: {}, value: 1500 },
      ],
    },
    {
      name: 'run_seconds',
      type: 'histogram',
      help: '',
      samples: [
        { name: 'run_seconds_bucket', labels: { le: '0.1' }, value: 2 },
        { name: 'run_seconds_bucket', labels: { le: '+Inf' }, value: 3 },
        { name: 'run_seconds_sum', labels: {}, value: 0.25 },
        { name: 'run_seconds_count', labels: {}, value: 3 },
      ],
    },
    {
      name: 'lonely_total',
      type: 'untyped',
      help: '',
      samples: [{ name: 'lonely_total', labels: {}, value: 'NaN' }],
    },
  ]);
});

test('infinities are text, as JSON has no number for them', () => {
  const values = parseExposition('a +Inf\nb -Inf\nc Inf\n').map(({ samples }) => samples[0]?.value);
  assert.deepEqual(values, ['+Inf', '-Inf', '+Inf']);
});

for (const line of ['<html>', 'a', 'a{b="c} 1', 'a{b=c} 1', 'a one', '{} 1']) {
  test(`'${line}' is no sample, and the message names its line`, () => {
    assert.throws(() => parseExposition(`x 1\n${line}\n`), /^SyntaxError: line 2 is no sample/);
  });
}

test('a label with the name of a property that objects have is a label', () => {
  const [family] = parseExposition('a{__proto__="x",b="y"} 1\n');
  assert.equal(JSON.stringify(family?.samples[0]?.labels), '{"__proto__":"x","b":"y"}');
});

test('the value of a label may have a carriage return or a line separator', () => {
  const [family] = parseExposition('a{b="1\r2\u20283"} 1\n');
  assert.deepEqual(family?.samples[0], { name: 'a', labels: { b: '1\r2\u20283' }, value: 1 });
});
