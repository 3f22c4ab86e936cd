/** Callbacks for when a process, or a worker thread, ends by itself: one listener serves all of them. */
const callbacks = new Set<() => void>();
let isListening = false;

/** Returns a function that removes the callback. */
export function atExit(callback: () => void): () => void {
  if (!isListening) {
    isListening = true;
    process.on('exit', () => {
      for (const each of callbacks) each();
    });
  }
  callbacks.add(callback);
  return () => void callbacks.delete(callback);
}
