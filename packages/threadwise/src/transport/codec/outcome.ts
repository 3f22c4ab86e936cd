/** What a writer returns where it cannot return the position after what it has written. */

/** It does not fit. */
export const FULL = -1;
/** It needs the general way: structured clone. */
export const UNKNOWN = -2;
