import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input } from './input-source.js';
import { sampleBySize } from './files.js';

/** A few inputs have most of the bytes, and the cost is a price per input plus one per byte. */
const inputs = Array.from({ length: 5000 }, (_, i): Input => {
  const bytes = i % 500 === 7 ? 5_000_000 : 1000 + ((i * 7919) % 3000);
  return { value: i, position: i, bytes };
});
const costOf = ({ bytes }: Input): number => 20 + bytes / 500;
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const whole = { count: inputs.length, bytes: sum(inputs.map(({ bytes }) => bytes)) };

test('the weighted sum over the sample estimates the sum over all', () => {
  const sample = [...sampleBySize(inputs, 200, whole)];
  assert.ok(sample.length <= 201, `${sample.length} sampled`);
  const estimate = sum(sample.map((input) => input.weight * costOf(input)));
  const mean = (estimate / sum(sample.map(({ weight }) => weight))) * inputs.length;
  const truth = sum(inputs.map(costOf));
  assert.ok(Math.abs(mean / truth - 1) < 0.15, `estimated ${mean}, is ${truth}`);
});

test('takes all if there are no more than asked for', () => {
  const sample = [...sampleBySize(inputs.slice(0, 50), 200, { count: 50, bytes: 1 })];
  assert.equal(sample.length, 50);
  assert.ok(sample.every(({ weight }) => weight === 1));
});

test('spreads evenly where nothing has a size', () => {
  const empty = inputs.map((input) => ({ ...input, bytes: 0 }));
  const sample = [...sampleBySize(empty, 100, { count: 5000, bytes: 0 })];
  assert.equal(sample.length, 100);
  assert.ok(Number(sample[99]!.position) > 4900);
});
