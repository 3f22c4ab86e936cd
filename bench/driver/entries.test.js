import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entriesOf } from './entries.js';

const contenders = [
  { id: 'ours', role: 'ours', package: 'ours', can: ['lease', 'transfer'], isQuick: true },
  { id: 'ours (other)', role: 'ours', package: 'ours', can: ['lease', 'transfer'], isQuick: false },
  { id: 'a', role: 'published', package: 'a', can: ['transfer'], isQuick: false },
  { id: 'a (fast)', role: 'published', package: 'a', can: ['transfer'], isQuick: true },
  { id: 'b', role: 'published', package: 'b', can: [], isQuick: true },
  { id: 'inline', role: 'inline', can: [], isQuick: true },
  { id: 'bare', role: 'bare', can: [], isQuick: true },
];
const idsOf = (entries) => entries.map(({ id }) => id);

test('pools and inline take part, unless a scenario says who does', () => {
  assert.deepEqual(idsOf(entriesOf({}, contenders)), [
    'ours',
    'ours (other)',
    'a',
    'a (fast)',
    'b',
    'inline',
  ]);
  const takes = ({ role, id }) => role === 'bare' || id === 'b';
  assert.deepEqual(idsOf(entriesOf({ takes }, contenders)), ['b', 'bare']);
});

test('each goes the ways that it can; inline there is one', () => {
  const ways = [{ id: 'leased', needs: ['lease'] }, { id: 'copied' }, { id: 'moved', needs: ['transfer'] }];
  const takes = ({ id }) => ['ours', 'a', 'b', 'inline'].includes(id);
  const entries = entriesOf({ ways, takes }, contenders);
  assert.deepEqual(idsOf(entries), [
    ...['ours, leased', 'ours, copied', 'ours, moved'],
    ...['a, copied', 'a, moved', 'b, copied', 'inline'],
  ]);
  assert.deepEqual(entries.map(({ contender, way }) => [contender.id, way]).slice(2, 4), [
    ['ours', 'moved'],
    ['a', 'copied'],
  ]);
  assert.equal(entries.at(-1).way, undefined);
});

test('a way can be for some only', () => {
  const ways = [
    { id: 'copied', takes: ({ can }) => can.length === 0 },
    { id: 'moved', needs: ['transfer'] },
  ];
  const takes = ({ role }) => role === 'published';
  assert.deepEqual(idsOf(entriesOf({ ways, takes }, contenders)), [
    'a, moved',
    'a (fast), moved',
    'b, copied',
  ]);
});

test('the method of a document takes part where it is asked for; a quick run has each of them', () => {
  const methods = ['as published', 'as published, one worker'].map((id) => ({
    id,
    role: 'as-published',
    can: [],
  }));
  const all = [...contenders, ...methods];
  assert.deepEqual(idsOf(entriesOf({}, all)), idsOf(entriesOf({}, contenders)));
  const takes = ({ role }) => role === 'as-published';
  assert.deepEqual(
    idsOf(entriesOf({ takes }, all, { isQuick: true })),
    methods.map(({ id }) => id),
  );
});

test('a quick run leaves out ways that are not for one, and published packages that are not wanted', () => {
  const ways = [{ id: 'copied' }, { id: 'moved', isQuick: false }];
  const wanted = { isQuick: true, published: ['b'] };
  assert.deepEqual(idsOf(entriesOf({ ways }, contenders, wanted)), ['ours, copied', 'b, copied', 'inline']);
});

test('a quick run has one variant of each package: the quick one, or the first that the scenario takes', () => {
  const isQuick = true;
  assert.deepEqual(idsOf(entriesOf({}, contenders, { isQuick })), ['ours', 'a (fast)', 'b', 'inline']);
  const takes = ({ id }) => ['a', 'ours (other)'].includes(id);
  assert.deepEqual(idsOf(entriesOf({ takes }, contenders, { isQuick })), ['ours (other)', 'a']);
});
