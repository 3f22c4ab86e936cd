/** Processes that must not outlive the command's own. */
import type { ChildProcess } from 'node:child_process';

const living = new Map<ChildProcess, () => void>();
process.on('exit', () => {
  for (const kill of living.values()) kill();
});

/** @param kill how it is ended when this process exits, unless it is `gone` by then */
export function keepUnder(child: ChildProcess, gone: Promise<unknown>, kill: () => void): void {
  living.set(child, kill);
  void gone.then(() => living.delete(child));
}
