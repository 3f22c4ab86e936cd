// What follows from cores.
import { atCores, finding, isFaster, sideBySide, withThreads } from '../hash-direct/finding.js';

const METRIC = 'requestsPerSecond';
const OURS = 'threadwise';
/** The published loss is that of three threads. */
const THREADS = 3;

export function conclude(scenarios, tools) {
  const { fasterThan, bestX, machine } = tools;
  const curves = [...new Set(scenarios.map(({ curve }) => curve))].filter(Boolean);
  const of = (wanted) => scenarios.filter(({ curve }) => curve === wanted);
  const [least, most] = [of(curves[0]), of(curves.at(-1))];
  const loss = lossOf(least, most, curves, fasterThan);
  const [few, many] = [least.find(({ x }) => x === 2), atCores(most, machine)];
  const on = (curve, scenario, sentence) => `On ${curve}. ${withThreads(scenario, sentence)}`;
  const compare = (curve, scenario, other) =>
    on(curve, scenario, fasterThan(scenario, OURS, other, METRIC).sentence);
  return [
    finding(isFaster(loss), loss.sentence),
    ...curves.flatMap((curve) => {
      const knee = bestX(of(curve), OURS, METRIC);
      return knee === undefined ? [] : [`On ${curve} ${knee.sentence}`];
    }),
    ...(few === undefined ? [] : [compare(curves[0], few, 'inline')]),
    ...(many === undefined || curves.length < 2
      ? []
      : ['inline', 'as published', 'piscina'].map((other) => compare(curves.at(-1), many, other))),
  ];
}

/** The same threads on all cores and on one. */
function lossOf(least, most, curves, fasterThan) {
  const at = (all) => all.find(({ x }) => x === THREADS);
  const [one, all] = [curves[0], curves.at(-1)].map((curve) => `${OURS} with ${THREADS} threads on ${curve}`);
  if (one === all) return { verdict: 'unknown', sentence: 'it was not measured with more cores than one' };
  const scenario = sideBySide([
    [one, at(least), OURS],
    [all, at(most), OURS],
  ]);
  return fasterThan(scenario, all, one, METRIC);
}
