/** JSON schemas that carry the TypeScript type of what they describe: the types of the statistics are derived from the schemas. */

declare const TYPE: unique symbol;

/** Describes values of type `T`. */
export interface Schema<T = unknown> {
  readonly [keyword: string]: unknown;
  /** Never set: it only carries the type. */
  readonly [TYPE]?: () => T;
}

export type TypeOf<S> = S extends { readonly [TYPE]?: () => infer T } ? T : never;

export type Properties = Readonly<Record<string, Schema>>;
/** The keys that may be absent: those of `O`, and those whose type allows undefined because older libraries lack the field. */
type Missing<P, O> = {
  [K in keyof P]: K extends O ? K : undefined extends TypeOf<P[K]> ? K : never;
}[keyof P];
type Fields<P, O> = { readonly [K in Exclude<keyof P, Missing<P, O>>]: TypeOf<P[K]> } & {
  readonly [K in Missing<P, O>]?: Exclude<TypeOf<P[K]>, undefined>;
};

export const number = (description: string): Schema<number> => ({ type: 'number', description });
export const count = (description: string): Schema<number> => ({ type: 'integer', minimum: 0, description });
export const text = (description: string): Schema<string> => ({ type: 'string', description });
export const flag = (description: string): Schema<boolean> => ({ type: 'boolean', description });
/** null means that the value is not known. */
export const maybe = (description: string): Schema<number | null | undefined> => ({
  type: ['number', 'null'],
  description,
});
export const orNull = <T>(description: string, schema: Schema<T>): Schema<T | null> => ({
  description,
  anyOf: [{ type: 'null' }, schema],
});
export const listOf = <T>(items: Schema<T>, description: string): Schema<readonly T[]> => ({
  type: 'array',
  items,
  description,
});

/** Requires all properties but those in `optional`. Allows others, since later versions may add fields. */
export function object<P extends Properties, O extends keyof P & string = never>(
  properties: P,
  optional: readonly O[] = [],
): Schema<Fields<P, O>> {
  const required = Object.keys(properties).filter((name) => !optional.some((each) => each === name));
  return { type: 'object', required, properties };
}
