/** The seam to instances of registered classes: what becomes of a value before it crosses, and after. `transport/classes/`. */

export interface Instances {
  /** The value as it crosses: plain, with what makes its instances instances again. Throws ERR_NOT_CLONEABLE. */
  pack(value: unknown): unknown;
  /** Inverse of `pack`. The value must be the receiver's own. */
  unpack(value: unknown): unknown;
  /** The same of all arguments of a call. */
  packArguments(args: readonly unknown[]): readonly unknown[];
  unpackArguments(args: readonly unknown[]): readonly unknown[];
  /** The same error, its fields unpacked; whatever else was thrown, unpacked. */
  unpackError(error: unknown): unknown;
}
