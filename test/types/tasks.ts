/** A task module, whose types the tests use. */
import { type SetupContext, task } from 'threadwise/worker';

export const label = 'not a task';
export function hash(bytes: Uint8Array): string {
  return `${bytes.length}`;
}
export async function add(a: number, b: number): Promise<number> {
  task.progress({ a });
  return a + b;
}
export const greet = (name: string, greeting = 'hello'): string => `${greeting} ${name}`;
export function* numbers(to: number): Generator<number, string, void> {
  yield to;
  return 'end';
}
export async function* words(): AsyncGenerator<string> {
  yield 'a';
}
export const letters = async (): Promise<string[]> => ['a'];
declare module 'threadwise/worker' {
  interface HostFunctions {
    lookUp(id: string): Promise<{ name: string }>;
  }
}
export const nameOf = async (id: string): Promise<string> => (await task.host.lookUp(id)).name;
// @ts-expect-error: a wrong argument
export const wrongly = () => task.host.lookUp(5);
// @ts-expect-error: no such function
export const unknown = () => task.host.lookDown('x');
export const nothing = (): undefined => undefined;
export function setup(_context: SetupContext): void {}
export default (flag: boolean): boolean => !flag;
