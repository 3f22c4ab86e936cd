// How the service ends when it is told to: nothing that it has accepted is lost.

/**
 * 1. The pool refuses new calls: /readyz is 503, and so is every new request, with `connection: close`. The server still
 *    listens, since requests come until every proxy has heard that this pod is going.
 * 2. What was accepted is finished and answered. A pool that somebody has paused goes on first, or it would wait for ever.
 * 3. The server closes: no connections any more; the last answers go out.
 * 4. The pool ends its threads. Nothing is left that keeps the process alive, and it ends by itself, with exit code 0.
 *
 * What takes longer than `timeoutMs` is cut off: its callers get 503, and the exit code is 1. The orchestrator's own
 * patience must be longer than that, or it kills the process, and nobody gets an answer.
 */
export async function shutDown(server, pool, timeoutMs) {
  const deadline = setTimeout(() => cutOff(server, pool, timeoutMs), timeoutMs);
  await drained(pool);
  await closed(server);
  await pool.close();
  clearTimeout(deadline);
}

async function drained(pool) {
  try {
    pool.resume();
    await pool.drain();
  } catch {
    // It is broken, or closed already: nothing is open, and nothing is accepted.
  }
}

function closed(server) {
  // Also called back, with an error, where it does not listen yet.
  return new Promise((resolve) => server.close(resolve));
}

function cutOff(server, pool, timeoutMs) {
  console.error(`Not done after ${timeoutMs} ms: the rest is cut off`);
  process.exitCode = 1;
  // The calls that are open are rejected now and answered at once; a client that does not read its answer gets none.
  void pool.destroy().then(() => server.closeAllConnections());
}
