// The cost of bytes that cross: as an argument, of which the task reads three, and as a result.
import { manyAtOnce, oneOfEach, timesTheCalls } from './calls.js';
import { callsPerSecond, cpuMicroseconds } from './metrics.js';

const KIB = 1024;
/** The share of the time of other scenarios: there are many sizes, and copying is compiled already. */
const SHARE_OF_TIME = 0.5;
const MOST_OUTSTANDING = 1000;
/** How many bytes may be on their way at a time: the memory of the machine is not what is measured. */
const BYTES_OUTSTANDING = 16 * KIB * KIB;

const checksumOf = (bytes) => bytes.length + bytes[0] + bytes[bytes.length >> 1] + bytes[bytes.length - 1];

const outstandingOf = (length) =>
  Math.max(8, Math.min(MOST_OUTSTANDING, Math.floor(BYTES_OUTSTANDING / length)));

/** Arrays with different contents, made once: neither a call nor the check of its result makes any. */
const arraysOf = (length) => Array.from({ length: 8 }, (_, n) => new Uint8Array(length).fill(n));

function asArgument(length, arrays = arraysOf(length)) {
  return {
    task: 'checksum',
    argument: (i) => arrays[i % arrays.length],
    score: (result) => result,
    expected: checksumOf,
  };
}

/** Calls pass the same few buffers again and again, as in programs that share memory. */
function shared(length) {
  const arrays = arraysOf(length).map((array) => {
    const view = new Uint8Array(new SharedArrayBuffer(length));
    view.set(array);
    return view;
  });
  return asArgument(length, arrays);
}

/** Each call makes bytes of its own, which are gone with it. */
function moved(length) {
  const arrays = arraysOf(length);
  return {
    ...asArgument(length),
    argument: (i) => arrays[i % arrays.length].slice(),
    transfer: ({ buffer }) => [buffer],
  };
}

function asResult(length) {
  const arrays = arraysOf(length);
  return {
    task: 'makeBytes',
    argument: (i) => ({ length, value: i % arrays.length }),
    score: checksumOf,
    expected: ({ value }) => arrays[value],
  };
}

const less = ({ warmUpMs, measureMs }) => ({
  warmUpMs: warmUpMs * SHARE_OF_TIME,
  measureMs: measureMs * SHARE_OF_TIME,
});

/** @param make returns the workload for a length; called only in the sample's process, so that only that makes arrays */
function scenario(id, title, length, make, options = {}) {
  const { goals = [], isHighlight = false, isQuick = false, takes = oneOfEach } = options;
  const outstanding = outstandingOf(length);
  return {
    id,
    title: `${title}, ${outstanding.toLocaleString('en-US')} calls outstanding`,
    metrics: [callsPerSecond, cpuMicroseconds],
    goals,
    highlights: isHighlight ? [{ metric: 'callsPerSecond' }] : [],
    isQuick,
    takes,
    run: (context) => manyAtOnce(make(length), { outstanding })({ ...context, budget: less(context.budget) }),
  };
}

const canMove = (contender) => oneOfEach(contender) && contender.can.includes('transfer');

export const bytes = [
  scenario('bytes-10k', '10 KiB of bytes as the argument', 10 * KIB, asArgument, { isHighlight: true }),
  scenario('bytes-moved', '10 KiB of bytes, moved (`transfer`)', 10 * KIB, moved, {
    isHighlight: true,
    takes: canMove,
  }),
  scenario('bytes-1m-moved', '1 MiB of bytes, moved (`transfer`)', KIB * KIB, moved, {
    isHighlight: true,
    takes: canMove,
  }),
  scenario('bytes-shared', '10 KiB of shared memory as the argument', 10 * KIB, shared, {
    isHighlight: true,
  }),
  scenario('bytes-1m', '1 MiB of bytes as the argument', KIB * KIB, asArgument, {
    goals: [timesTheCalls(1.2)],
    isHighlight: true,
    isQuick: true,
  }),
  scenario('bytes-returned', '100 KiB of bytes as the result', 100 * KIB, asResult),
];
