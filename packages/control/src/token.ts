/** The secret token: how it is made, and how a client's token is checked. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 192 bits cannot be guessed; 24 bytes are a whole number of base64 characters. */
const TOKEN_BYTES = 24;

export function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/**
 * Returns the check of an `Authorization` header, or of its absence. It compares digests in constant time: neither the time nor the length
 * tells how much of a guess is right.
 */
export function tokenCheck(token: string): (authorization: string | undefined) => boolean {
  const digest = digestOf(token);
  return (authorization = '') => {
    const given = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    return given !== undefined && timingSafeEqual(digestOf(given), digest);
  };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
