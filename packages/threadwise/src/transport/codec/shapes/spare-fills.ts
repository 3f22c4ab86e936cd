/** The same function over and over, so that each copy can be the quickest for one kind of object. */
import type { Fill } from './shape.js';

/**
 * An assignment in the source remembers the keys, and the hidden classes of objects, that it has met: with one of each
 * it takes 2 ns, with many 10. A loop over the keys of all shapes meets all; a copy that serves one shape meets one.
 * Code made at run time would do the same, and is what other codecs do; a strict content security policy forbids it.
 */
// Two lines a copy.
// prettier-ignore
export const SPARE: readonly Fill[] = [
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
  (o, s, v) => { o[s.a] = v.next(); if (s.count > 1) o[s.b] = v.next();
    if (s.count > 2) o[s.c] = v.next(); if (s.count > 3) o[s.d] = v.next(); },
];
