// Checks that what was read is what is in the file.
import assert from 'node:assert/strict';
import { probesOf } from '../../fixtures/two-files.js';

/** Counts the contents that are right. */
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

  /** Adds right contents that were counted elsewhere. */
  onChecked = (count) => {
    this.#checked += count;
  };

  /** Throws unless exactly `count` contents were right. */
  expect(count) {
    assert.equal(this.#checked, count, 'contents that were read, and right');
  }
}
