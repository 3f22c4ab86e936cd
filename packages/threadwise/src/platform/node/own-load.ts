/** What the calling thread is busy with: measured at most twice a second, so that all who look see the same. */

const FRESH_MS = 500;

export interface OwnLoad {
  /** Event loop utilisation since the last measurement, 0 to 1. */
  readonly utilization: number;
  /** Of the process. */
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
}

export function ownLoad(): () => OwnLoad {
  let last: OwnLoad | undefined;
  let measuredAt = 0;
  let before: ReturnType<typeof performance.eventLoopUtilization> | undefined;
  return () => {
    const now = performance.now();
    if (last !== undefined && now - measuredAt < FRESH_MS) return last;
    measuredAt = now;
    const current = performance.eventLoopUtilization();
    const { utilization } =
      before === undefined ? current : performance.eventLoopUtilization(current, before);
    before = current;
    // Resident first, and alone: it is what costs least to ask for.
    const residentBytes = process.memoryUsage.rss();
    const { heapUsed: heapUsedBytes } = process.memoryUsage();
    last = { utilization, residentBytes, heapUsedBytes };
    return last;
  };
}
