/**
 * How what the owner gives a task to take along gets to the worker: as one more argument, marked in the task's name. So no
 * transport knows of it, and a call that takes nothing along costs nothing.
 */

/** Ends no name of an exported function. */
const MARK = '\0';

/** The call as it crosses. Inverse: `unpack`. */
export function pack(name: string, args: readonly unknown[], context: unknown): [string, readonly unknown[]] {
  return context === undefined ? [name, args] : [name + MARK, [...args, context]];
}

export function unpack(name: string, args: readonly unknown[]) {
  if (!name.endsWith(MARK)) return { name, args, context: undefined };
  return { name: name.slice(0, -MARK.length), args: args.slice(0, -1), context: args.at(-1) };
}
