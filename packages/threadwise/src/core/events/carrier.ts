/** Carries the context that `onTaskStart` returned to the worker: as one more argument, marked in the task's name. So no transport knows of it. */

/** Ends the name of a call with a context. No name of an exported function ends in it. */
const MARK = '\0';

export function pack(name: string, args: readonly unknown[], context: unknown): [string, readonly unknown[]] {
  return context === undefined ? [name, args] : [name + MARK, [...args, context]];
}

export function unpack(name: string, args: readonly unknown[]) {
  if (!name.endsWith(MARK)) return { name, args, context: undefined };
  return { name: name.slice(0, -MARK.length), args: args.slice(0, -1), context: args.at(-1) };
}
