/** What the user should know of his function before he believes any figure. */
import { busyWarning, leftOutWarnings } from '../../../experiment/rules.js';
import { bytes, counted, duration, perCent } from '../../../format/figures.js';
import type { Samples } from './samples.js';

/** Calls that differ by so much are not one kind of call: 99th percentile over the median. */
const UNEVEN = 20;

export function warningsOf(samples: Samples): string[] {
  const { subject, behaviour, inline, machine } = samples;
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
    busyWarning(machine),
    inline.residentBytes !== undefined &&
      machine.memoryBytes > 0 &&
      inline.residentBytes > machine.memoryBytes / 2 &&
      `it takes ${bytes(inline.residentBytes)} of memory, ${perCent(inline.residentBytes / machine.memoryBytes)} of what there is`,
    ...leftOutWarnings(samples),
  ];
  return found.filter((text) => typeof text === 'string');
}
