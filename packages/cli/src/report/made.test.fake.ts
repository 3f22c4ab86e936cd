/** Where a page of a test comes from. */
import type { Made } from './model.js';

export const FAKE_MADE: Made = {
  at: new Date('2030-04-05T06:07:08Z'),
  command: "threadwise analyze './<tasks>.js'",
  version: '1.2.3',
};
