/** JSON schemas that know the type of what they describe: the types of the statistics are made of them, so that nothing is written twice. */

declare const TYPE: unique symbol;

/** Describes values of type `T`. */
export interface Schema<T = unknown> {
  readonly [keyword: string]: unknown;
  /** For the compiler alone. */
  readonly [TYPE]?: () => T;
}

export type TypeOf<S> = S extends { readonly [TYPE]?: () => infer T } ? T : never;

export type Properties = Readonly<Record<string, Schema>>;
/** Undefined is for types alone: what an older library does not have. */
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
/** null: not known. */
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

/** `required`: all, but those named in `optional`. Fields may be added, so others are allowed. */
export function object<P extends Properties, O extends keyof P & string = never>(
  properties: P,
  optional: readonly O[] = [],
): Schema<Fields<P, O>> {
  const required = Object.keys(properties).filter((name) => !optional.some((each) => each === name));
  return { type: 'object', required, properties };
}
