/** The progress bar that all commands share. It counts in thousandths of the whole. */

import cliProgress from 'cli-progress';

export const WHOLE = 1000;

/** How many columns the bar has where there is room. */
const BAR_COLUMNS = 28;
/** A bar of fewer columns shows no more than the percentage does, and is left out. */
const LEAST_BAR_COLUMNS = 8;
/** How many columns are kept for the text behind the bar. */
const TEXT_COLUMNS = 44;

/** @param format begins with `{bar} `, which is left out on a terminal without room for it */
export function makeBar(
  stream: NodeJS.WritableStream & { readonly columns?: number },
  format: string,
): cliProgress.SingleBar {
  // A terminal of 0 columns does not know its size.
  const room = (stream.columns || 80) - TEXT_COLUMNS;
  return new cliProgress.SingleBar({
    format: room < LEAST_BAR_COLUMNS ? format.replace('{bar} ', '') : format,
    stream,
    barsize: Math.max(0, Math.min(BAR_COLUMNS, room)),
    barCompleteChar: '█',
    barIncompleteChar: '░',
    clearOnComplete: true,
    hideCursor: true,
    // Its own SIGINT handler would end the process; ours ends the work in good order first.
    gracefulExit: false,
  });
}
