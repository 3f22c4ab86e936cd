/** Functions that are made at run time, where one of a fixed form is several times as fast as a loop. */

/** The function as it was when the thread began: a task may replace it. */
const FunctionHere = Function;

/** A function made of its source; undefined: the program forbids code that is made at run time. */
export function compile<T>(parameter: string, code: string): T | undefined {
  try {
    return new FunctionHere(parameter, code) as T;
  } catch {
    return undefined;
  }
}
