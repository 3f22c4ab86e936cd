/** The secret that allows changes: how one is made, and how one that came is compared. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 192 bits: beyond guessing, and a whole number of base64 characters. */
const TOKEN_BYTES = 24;

export function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Compares digests, so that neither the time nor the length tells how much of a guess is right. */
export class TokenCheck {
  readonly #digest: Buffer;

  constructor(token: string) {
    this.#digest = digestOf(token);
  }

  /** @param authorization the header, or undefined if there is none */
  accepts(authorization: string | undefined): boolean {
    const given = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    return given !== undefined && timingSafeEqual(digestOf(given), this.#digest);
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
