// Turns the measurements into text: a table, and for each job a sentence that says no more than its figures.

/** The factor below which a difference may be chance. */
const CLEAR = 1.1;

const digits = (value) => (value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(2))));

export function time(ms) {
  if (ms < 0.1) return `${digits(ms * 1000)} us`;
  return ms < 1000 ? `${digits(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

function verdict({ inline, onThreads }) {
  const factor = inline.ms / onThreads.ms;
  if (factor >= CLEAR) return `${digits(factor)} x as fast`;
  return factor <= 1 / CLEAR ? `${digits(1 / factor)} x as slow` : 'about as fast';
}

/** CPU time decides where the clock cannot: when other programs had the cores, their time is not counted. */
function why({ calls, threads, inline, start, onThreads }) {
  const callMs = inline.cpuMs / calls;
  const handingMs = (onThreads.cpuMs - start.cpuMs - inline.cpuMs) / calls;
  if (inline.ms / onThreads.ms >= CLEAR)
    return `gains: a call computes for ${time(callMs)}, and ${threads} threads compute at the same time.`;
  if (threads === 1) return 'does not gain: threads may use one core here, and one thread already does.';
  if (handingMs > callMs)
    return `does not gain: a call takes ${time(callMs)} of CPU time, and handing it to a thread takes ${time(handingMs)}.`;
  const onFreeCoresMs = Math.min(start.ms, start.cpuMs) + (onThreads.cpuMs - start.cpuMs) / threads;
  if (inline.cpuMs / onFreeCoresMs < CLEAR)
    return `does not gain: the whole job takes ${time(inline.ms)}, and starting the threads alone takes ${time(start.ms)}.`;
  const cores = digits(onThreads.cpuMs / onThreads.ms);
  return (
    `would gain: other programs left ${cores} of ${threads} cores to the threads. By the CPU time that they used, ` +
    `they would take about ${time(onFreeCoresMs)} on free cores, and one thread ${time(inline.cpuMs)}.`
  );
}

/** @param jobs results of `measure`, each with a `title` for the table and a `name` to begin a sentence */
export function explain(jobs) {
  const rows = [
    ['', ({ title }) => title],
    ['calls, one for each file', ({ calls }) => calls.toLocaleString('en-US')],
    ['one call', ({ inline, calls }) => time(inline.ms / calls)],
    ['all calls, in one thread', ({ inline }) => time(inline.ms)],
    ['all calls, on threads', ({ onThreads }) => time(onThreads.ms)],
    ['  of it, to start them', ({ start }) => time(start.ms)],
    ['so threads are', verdict],
  ].map(([name, cell]) => [name, ...jobs.map(cell)]);
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  const lines = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] + 3))
      .join('')
      .trimEnd(),
  );
  return [...lines, '', ...jobs.map((job) => `${job.name} ${why(job)}`)].join('\n');
}
