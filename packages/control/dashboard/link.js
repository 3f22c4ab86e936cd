/** A line to the server that is tried again when it fails, with longer and longer pauses, and says how it is. */

/** Pauses between attempts. Milliseconds; chosen so that a restart is seen soon and a dead server is left in peace. */
const PAUSES_MS = [1000, 2000, 4000, 8000, 15_000];

/**
 * up: answers. lost: the last attempt failed; `retryAt` says when the next one is. refused: the server wants a token that
 * it was not given; nothing is tried until somebody says so.
 *
 * `attempt(up, signal)` calls `up()` whenever it has heard something, and rejects when the line is lost. `tryNow` ends the pause between two
 * attempts.
 */
export function openLink(attempt, onChange) {
  const controller = new AbortController();
  const { signal } = controller;
  let wake = () => undefined;
  let failures = 0;
  let state = { kind: 'connecting' };
  void run();
  return {
    get state() {
      return state;
    },
    tryNow: () => wake(),
    close() {
      controller.abort();
      wake();
    },
  };

  async function run() {
    while (!signal.aborted) {
      try {
        await attempt(up, signal);
      } catch (error) {
        if (signal.aborted) return;
        await pause(error);
      }
    }
  }

  function up() {
    failures = 0;
    if (state.kind !== 'up') change({ kind: 'up' });
  }

  async function pause(error) {
    const ms = PAUSES_MS[Math.min(failures++, PAUSES_MS.length - 1)];
    const since = state.since ?? Date.now();
    const isRefused = error.status === 401;
    const woken = new Promise((resolve) => (wake = resolve));
    const timer = isRefused ? undefined : setTimeout(wake, ms);
    const kind = isRefused ? { kind: 'refused' } : { kind: 'lost', retryAt: Date.now() + ms };
    change({ ...kind, since, error });
    await woken;
    clearTimeout(timer);
    // While it is being tried, nothing is to be waited for.
    if (!signal.aborted) change({ ...state, retryAt: undefined });
  }

  function change(next) {
    state = next;
    onChange(state);
  }
}
