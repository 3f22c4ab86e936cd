/** Returns the next state of a state machine. Throws where it may not follow: a defect of ours. @param who the machine, for the error */
export function transition<S extends string>(
  who: string,
  following: Readonly<Record<S, readonly S[]>>,
  from: S,
  to: S,
): S {
  if (following[from].includes(to)) return to;
  throw new Error(`threadwise: ${who} cannot go from '${from}' to '${to}'`);
}
