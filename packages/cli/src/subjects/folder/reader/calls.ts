/** Paths handed over some at a time to whoever reads them: all of them once, and on from the first until the time is over. */
import { type Counted, Tally } from './tally.js';

export interface Handing {
  readonly paths: readonly string[];
  readonly perCall: number;
  /** Of calls, at a time. */
  readonly outstanding: number;
  /** As performance.now() says it. */
  readonly end: number;
}

export async function handOver(
  { paths, perCall, outstanding, end }: Handing,
  read: (paths: readonly string[], lane: number) => Promise<Counted>,
): Promise<Tally> {
  const calls = Array.from({ length: Math.ceil(paths.length / perCall) }, (_, i) =>
    paths.slice(i * perCall, (i + 1) * perCall),
  );
  const tally = new Tally();
  let begun = 0;
  const lane = async (number: number): Promise<void> => {
    while (begun < calls.length || performance.now() < end) {
      const call = calls[begun % calls.length]!;
      begun += 1;
      tally.addAll(await read(call, number));
    }
  };
  await Promise.all(Array.from({ length: outstanding }, (_, i) => lane(i)));
  return tally;
}
