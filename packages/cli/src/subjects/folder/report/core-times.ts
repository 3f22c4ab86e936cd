/** How busy the cores were over time while some ways read: what the views draw, each in its own manner. */
import { mean } from 'd3-array';
import { counted } from '../../../format/words.js';
import type { FolderFindings } from '../findings.js';
import type { ClassSamples, WayName, WaySamples } from '../samples.js';
import { sizesInWords } from '../sentences.js';
import { titleOf } from '../ways.js';

export interface CoreTimes {
  readonly way: WayName;
  readonly title: string;
  /** For each core, or for all together, the busy share of it in steps of time. */
  readonly lines: readonly { readonly name: string; readonly shares: readonly number[] }[];
}

/** What there is to see: one core at work, and all of them. */
const SHOWN: readonly WayName[] = ['sync-loop', 'async-all', 'workers'];
/** With fewer steps there is no curve. */
const LEAST_STEPS = 4;

/**
 * Of the class in which most bytes were read.
 * @param mostSteps as many as there is room for
 * @param mostCores with more lines nobody sees anything: the mean of all then
 */
export function coreTimes({ samples }: FolderFindings, mostSteps: number, mostCores: number): CoreTimes[] {
  const largest = samples.classes.toSorted((a, b) => b.bytes - a.bytes)[0];
  if (largest === undefined) return [];
  return SHOWN.flatMap((name) => {
    const way = largest.warm.ways.find((each) => each.name === name);
    const times = way === undefined ? undefined : timesOf(largest, way, mostSteps, mostCores);
    return times === undefined ? [] : [times];
  });
}

function timesOf(
  sizes: ClassSamples,
  { name, busy }: WaySamples,
  mostSteps: number,
  mostCores: number,
): CoreTimes | undefined {
  const steps = busy.slice(0, mostSteps);
  if (steps.length < LEAST_STEPS) return undefined;
  const cores = Math.min(...steps.map((shares) => shares.length));
  const title = `Cores over time: ${titleOf(name)}, files ${sizesInWords(sizes)}`;
  if (cores > mostCores) {
    return {
      way: name,
      title,
      lines: [{ name: counted(cores, 'core'), shares: steps.map((shares) => mean(shares) ?? Number.NaN) }],
    };
  }
  const lines = Array.from({ length: cores }, (_, core) => ({
    name: `core ${core}`,
    shares: steps.map((shares) => shares[core]!),
  }));
  return { way: name, title, lines };
}
