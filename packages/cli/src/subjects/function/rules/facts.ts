/** What the rules look at: figures that follow from the samples, each worked out once. */
import { FEWEST_ROUNDS, isBusy, usableCores } from '../../../experiment/rules.js';
import { type Estimate, noiseOf } from '../../../experiment/statistics.js';
import { breakEvenOf } from './break-even.js';
import { cheapestOf, computesLessThan, computingShare, loopShare, MOSTLY_WAITS } from './busy.js';
import type { Samples } from './samples.js';
import { amdahlOf, fastest, type Gain, gainsOf, kneeOf, withRoom } from './scaling.js';

export type Facts = ReturnType<typeof factsOf>;

export function factsOf(samples: Samples) {
  const { inline, machine, threads, control } = samples;
  const { returnsPromise } = samples.behaviour;
  const fast = fastest(samples);
  const gains = gainsOf(samples);
  const fitting = { threads: withRoom(samples) };
  const best = gains.find((of) => of.threads === fastest(fitting)?.threads);
  const knee = kneeOf(fitting, gains);
  const cores = usableCores(machine);
  // How many rounds compared the fastest number of threads with no pool.
  const rounds = Math.min(inline.rate.length, fast?.rate.length ?? 0);
  const mostlyWaits = computesLessThan(MOSTLY_WAITS, samples);
  const loop = loopShare(samples);
  const tried = Math.max(0, ...threads.filter(({ rate }) => rate.length > 1).map((of) => of.threads));
  // Threads that wait need no core: with them, more threads than cores must have been tried.
  const isLacking = tried < (mostlyWaits ? cores + 1 : 1);
  const lacking = isLacking ? Number.POSITIVE_INFINITY : Math.max(1, cores / tried);
  const mostTried = Math.max(0, ...gains.map(({ gain }) => gain.high));
  return {
    samples,
    cores,
    isBusy: isBusy(machine),
    /** How many times as many calls each number of threads makes as no pool. */
    gains,
    fast,
    /** The fastest number of threads that memory has room for. */
    best,
    knee,
    /** The numbers of threads that a verdict may be about. */
    rows: [knee, best].filter((row) => row !== undefined),
    breakEven: breakEvenOf(samples),
    fit: amdahlOf(samples),
    // Without control runs the rounds tell the noise, since they repeat the same run, too.
    noise: noiseOf([...control.before, ...control.after]) ?? noiseOf(inline.rate),
    crossingMs: cheapestOf(samples.crossings),
    rounds,
    hasEnough: rounds >= FEWEST_ROUNDS,
    computing: computingShare(samples),
    mostlyWaits,
    isMixed: returnsPromise && mostlyWaits,
    loop,
    /** The gain over one event loop with many calls at a time, which helps calls that wait as well as threads do. */
    overLoop({ gain }: Gain): Estimate {
      if (!returnsPromise || loop === undefined) return gain;
      return { value: gain.value * loop.value, low: gain.low * loop.low, high: gain.high * loop.high };
    },
    /** By which factor more threads than were tried could be of use; 1: enough were tried. */
    lacking,
    /** The largest gain that threads can bring, if each that was not tried brings as much as one that was. */
    most: isLacking ? lacking : lacking * mostTried,
  };
}
