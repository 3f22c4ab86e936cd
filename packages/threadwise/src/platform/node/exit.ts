/** Callbacks for when a process, or a worker thread, ends by itself: one listener serves all of them. */
const callbacks = new Set<() => void>();
const callAll = () => callbacks.forEach((callback) => callback());

/** Returns a function that removes the callback. */
export function atExit(callback: () => void): () => void {
  if (callbacks.size === 0) process.on('exit', callAll);
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) process.off('exit', callAll);
  };
}
