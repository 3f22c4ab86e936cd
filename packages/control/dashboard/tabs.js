/**
 * Shares the browser's connections among the tabs with this page: a browser has six to a server, for all of its tabs together. A stream in each
 * of six tabs would leave none for other requests, and all of them would take the server for one that does not answer.
 */

/** When other tabs have begun that many streams since it began its own, a hidden tab gives its own up. Of six connections, two are left, or one. */
const MOST_LATER = 4;

const channel = new BroadcastChannel('threadwise.streams');
let later = 0;
let giveUp = () => undefined;

function look() {
  if (document.hidden && later >= MOST_LATER) giveUp();
}

channel.addEventListener('message', () => {
  later++;
  look();
});
document.addEventListener('visibilitychange', look);

/** To be called when this tab begins a stream. Returns the signal at which it gives it up. */
export function streamBegins() {
  const controller = new AbortController();
  giveUp = () => controller.abort();
  later = 0;
  channel.postMessage('a stream begins');
  return controller.signal;
}

/** Resolves when the tab is not hidden, or the signal aborts. */
export function shown(signal) {
  return new Promise((resolve) => {
    if (!document.hidden || signal.aborted) return resolve();
    document.addEventListener('visibilitychange', resolve, { once: true, signal });
    signal.addEventListener('abort', resolve, { once: true });
  });
}
