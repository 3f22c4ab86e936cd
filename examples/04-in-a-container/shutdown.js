// How the service shuts down: nothing that it has accepted is lost.

/**
 * 1. The pool refuses new calls: /readyz is 503, and so is every new request, with `connection: close`. The server still
 *    listens, since requests come until every proxy knows that this pod is going.
 * 2. Accepted calls are finished and answered, those that a pause kept among them.
 * 3. The server closes: it takes no more connections, and sends the last answers.
 * 4. The pool ends its threads. Nothing keeps the process alive any more, so it ends by itself, with exit code 0.
 *
 * What takes longer than `timeoutMs` is cut off: its callers get 503, and the exit code is 1. The orchestrator must wait
 * longer than that, or it kills the process, and nobody gets an answer.
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
    await pool.drain();
  } catch {
    // The pool is broken or closed already: nothing is open, and nothing is accepted.
  }
}

function closed(server) {
  // The callback is also called, with an error, if the server does not listen yet.
  return new Promise((resolve) => server.close(resolve));
}

function cutOff(server, pool, timeoutMs) {
  console.error(`Not done after ${timeoutMs} ms: the rest is cut off`);
  process.exitCode = 1;
  // Open calls are rejected now and answered at once; a client that does not read its answer gets none.
  void pool.destroy().then(() => server.closeAllConnections());
}
