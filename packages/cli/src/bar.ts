/** The progress bar that all commands share. It counts in thousandths of the whole. */

import cliProgress from 'cli-progress';

export const WHOLE = 1000;

export function makeBar(stream: NodeJS.WritableStream, format: string): cliProgress.SingleBar {
  return new cliProgress.SingleBar({
    format,
    stream,
    barsize: 28,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    clearOnComplete: true,
    hideCursor: true,
    // Its own SIGINT handler would end the process; ours ends the work in good order first.
    gracefulExit: false,
  });
}
