/** What is done when a process, or a worker thread, ends by itself: one listener for all of it. */
const callbacks = new Set<() => void>();
let isListening = false;

/** Returns what takes it back. */
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
