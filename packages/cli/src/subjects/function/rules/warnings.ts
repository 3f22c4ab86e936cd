/** What the user should know of his function before he believes any figure. */
import { bytes, counted, duration, perCent } from '../../../format/figures.js';
import { isBusy } from './busy.js';
import type { Samples } from './samples.js';

/** Calls that differ by so much are not one kind of call: 99th percentile over the median. */
const UNEVEN = 20;

export function warningsOf({ subject, behaviour, inline, skipped, isCutShort, machine }: Samples): string[] {
  const { failures, repeats, changesItsArgument, hasSetup } = behaviour;
  const { callMs } = inline;
  const found = [
    failures.failed > 0 &&
      `${failures.failed} of ${counted(failures.calls, 'call')} failed: ${failures.first ?? 'no message'}`,
    repeats === 'different' &&
      'the same input gave another result when it was given again: it keeps state, or is random. Each worker has a state of its own',
    changesItsArgument &&
      'it changes its argument: in a worker that is a copy, and the caller does not see it',
    hasSetup &&
      'the module has a setup or teardown of its own: without a pool it was called once, by the analysis',
    subject.inputs.count === 1 &&
      'there is one input: the figures are of many calls with it at a time, and threads make no single call faster',
    callMs !== undefined &&
      callMs.p99 > UNEVEN * callMs.p50 &&
      `calls are uneven: half of them run for ${duration(callMs.p50)} or less, one of a hundred for ${duration(callMs.p99)} or more`,
    machine.othersShare !== undefined &&
      isBusy({ machine }) &&
      `other programs were running: they had ${perCent(machine.othersShare)} of the cores while it was measured`,
    machine.othersShare === undefined &&
      isBusy({ machine }) &&
      `other programs were running: ${machine.loadBefore.toFixed(1)} wanted a core before anything was measured, and there are ${machine.cores}`,
    inline.residentBytes !== undefined &&
      machine.memoryBytes > 0 &&
      inline.residentBytes > machine.memoryBytes / 2 &&
      `it takes ${bytes(inline.residentBytes)} of memory, ${perCent(inline.residentBytes / machine.memoryBytes)} of what there is`,
    isCutShort && 'not everything was measured: the time was over, or somebody ended it',
    ...skipped.map(({ what, why }) => `${what} was left out: ${why}`),
  ];
  return found.filter((text) => typeof text === 'string');
}
