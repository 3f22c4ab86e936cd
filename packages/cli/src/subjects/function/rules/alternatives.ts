/** Other ways of calling the same function, whether one of them changes the verdict, and which options are recommended. */
import { FEWEST_ROUNDS, isWorthIt } from '../../../experiment/rules.js';
import { confidenceOfEach, ratio } from '../../../experiment/statistics.js';
import { count, counted, times } from '../../../format/figures.js';
import type { Facts } from './facts.js';
import type { VariantSamples } from './samples.js';
import type { Answer, Decision } from './verdict.js';

/** A way with a smaller gain over the plain pool is not mentioned, unless it changes the verdict. */
const WORTH_TELLING = 1.05;
/** A way with at least this gain over the plain pool is mentioned in the verdict. */
const MUCH_MORE = 1.25;

/** The name of a way of calling in tables. */
export function nameOf({ name, size }: VariantSamples): string {
  if (name === 'batch') return `${counted(size ?? 1, 'input')} a call`;
  if (name === 'read') return size === undefined ? 'read by worker' : `worker reads ${count(size)}`;
  return name === 'auto' ? "placement 'auto'" : 'bytes in leases';
}

/** The same in sentences. */
export function howOf({ name, size }: VariantSamples): string {
  if (name === 'auto') return "with `placement: 'auto'`";
  if (name === 'batch') return `with ${counted(size ?? 1, 'input')} in one call`;
  if (name === 'lease') return 'with the bytes in a lease (`pool.lease`), which are not copied';
  return size === undefined
    ? 'where the worker reads the input itself, and only its name crosses'
    : `where the worker reads the inputs itself, and ${counted(size, 'name')} cross in one call`;
}

/** What other ways add: the one that is recommended, because it changes the verdict or is automatic and better, and the verdict's last words. */
export function otherWaysOf(facts: Facts, answer: Answer) {
  const ways = waysOf(facts, answer);
  const alternatives = ways.map(({ alternative }) => alternative);
  const exception = ways.find(({ alternative }) => alternative.changesVerdict);
  if (exception !== undefined) {
    const { variant, toInline } = exception;
    const sentence = `. But ${howOf(variant)}, threads bring ${times(toInline)} the calls`;
    return { alternatives, way: variant, sentence };
  }
  if (answer !== 'threads') return { alternatives, way: undefined, sentence: '' };
  // Threads pay already: mention only what is recommended, or brings much more.
  const automatic = ways.find(({ variant }) => variant.name === 'auto');
  const better = ways.find(({ alternative: { name, gain } }) => name !== 'auto' && gain.low >= MUCH_MORE);
  const told = [automatic, better].filter((each) => each !== undefined);
  const sentence = told.map(({ toInline, variant }) => `; ${times(toInline)} ${howOf(variant)}`).join('');
  return { alternatives, way: automatic?.variant, sentence };
}

/** `toInline`: how many times as many calls as without a pool; the way with the most comes first. */
function waysOf({ samples, fast, noise, rounds }: Facts, answer: Answer) {
  const { variants, inline, behaviour } = samples;
  const confidence = confidenceOfEach(variants.length);
  // Calls that wait would have to be compared with one event loop that waits for many, and not with the calling thread.
  const canChange = answer === 'inline' || (answer === 'unknown' && !behaviour.returnsPromise);
  const ways = variants.flatMap((variant) => {
    const { name, rate } = variant;
    const gain = ratio(rate, fast?.rate ?? [], confidence);
    const toInline = ratio(rate, inline.rate, confidence);
    // The rounds of a way may be fewer than those of the pool: it is given up where time runs short.
    const isEnough = Math.min(rate.length, rounds) >= FEWEST_ROUNDS;
    if (!isEnough || gain === undefined || toInline === undefined) return [];
    const changesVerdict = canChange && name !== 'auto' && isWorthIt(toInline, noise);
    if (gain.low < WORTH_TELLING && !changesVerdict) return [];
    const sentence = `${howOf(variant)}: ${times(gain)} the calls of the plain pool, ${times(toInline)} those without a pool`;
    return [{ variant, toInline, alternative: { name, gain, changesVerdict, sentence } }];
  });
  return ways.sort((a, b) => b.toInline.value - a.toInline.value);
}

/** Options of `createPool`, as the JSON of a report has them. */
export interface Recommended {
  readonly threads?: number;
  readonly placement?: 'auto' | 'inline';
  readonly tasksPerWorker?: number;
}

/** The options that the verdict speaks of, and no others; `placement: 'inline'` where nothing won. @param way that of `otherWaysOf` */
export function recommendedFor(
  facts: Facts,
  { answer, row }: Decision,
  way: VariantSamples | undefined,
): Recommended {
  if (way !== undefined && way.name !== 'auto') return { threads: way.threads };
  if (answer === 'unknown') return {};
  if (answer !== 'threads' || row === undefined) return { placement: 'inline' };
  if (way !== undefined) return { placement: 'auto', threads: way.threads };
  // How many calls at a time fill a worker: while one awaits, others can compute.
  const share = facts.isMixed ? (facts.loop?.value ?? 1) : 1;
  const atOnce = share > 0 ? Math.ceil(1 / share) : 1;
  return { threads: row.threads, ...(atOnce > 1 ? { tasksPerWorker: atOnce } : {}) };
}
