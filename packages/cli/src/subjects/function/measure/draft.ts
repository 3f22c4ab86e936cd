/** Samples in the making: empty at first, filled step by step, valid at any moment. */
import { readMachine } from '../../../experiment/machine.js';
import type { Behaviour, InlineSamples, Samples, Subject } from '../rules/samples.js';
import type { MeasurePlan } from './measure.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export type Draft = Mutable<Omit<Samples, 'behaviour' | 'inline' | 'control' | 'subject'>> & {
  subject: Mutable<Omit<Subject, 'inputs'>> & { inputs: Mutable<Subject['inputs']> };
  behaviour: Mutable<Behaviour>;
  inline: Mutable<InlineSamples>;
  control: Mutable<Samples['control']>;
};

export function newDraft(plan: MeasurePlan): Draft {
  return {
    subject: {
      module: plan.moduleGiven,
      export: plan.export ?? 'default',
      inputs: { count: plan.inputCount, used: 0, how: plan.inputsHow },
    },
    machine: readMachine(),
    behaviour: {
      returnsPromise: false,
      failures: { calls: 0, failed: 0, first: undefined },
      neverSettled: undefined,
      ended: undefined,
      endedInWorker: undefined,
      repeats: 'unknown',
      changesItsArgument: false,
      uncloneable: { argument: undefined, result: undefined },
      hasSetup: false,
    },
    inline: {
      coldMs: undefined,
      callMs: undefined,
      rate: [],
      cpuMs: [],
      loopDelayMs: [],
      garbageShare: [],
      bytesIn: undefined,
      bytesOut: undefined,
      bySize: [],
      residentBytes: undefined,
    },
    threads: [],
    variants: [],
    crossings: [],
    spins: [],
    cores: [],
    start: undefined,
    control: { before: [], after: [] },
    skipped: [],
    isCutShort: false,
  };
}
