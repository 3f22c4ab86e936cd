// Whether what was read is what is in the file.
import assert from 'node:assert/strict';
import { probesOf } from '../../fixtures/two-files.js';

/** Counts contents that are right. */
export class Checker {
  #probes;
  #checked = 0;

  constructor(probes) {
    this.#probes = probes;
  }

  get checked() {
    return this.#checked;
  }

  onContent = (bytes) => {
    const probes = probesOf(bytes);
    if (this.#probes.every((probe, i) => probe === probes[i])) this.#checked++;
  };

  /** Somebody else has checked that many. */
  onChecked = (count) => {
    this.#checked += count;
  };

  /** Throws unless there were that many, and all of them right. */
  expect(count) {
    assert.equal(this.#checked, count, 'contents that were read, and right');
  }
}
