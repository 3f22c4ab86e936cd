/** What a process that measures is started with: as this one was, but for what concerns this one alone. */

/** A debugger's port, and what a test runner adds. */
const OWN_FLAG = /^--(?:inspect|test|watch)/;

export function childOptions(): { readonly env: NodeJS.ProcessEnv; readonly execArgv: string[] } {
  const { THREADWISE_CONTROL: _, ...env } = process.env;
  return { env, execArgv: process.execArgv.filter((flag) => !OWN_FLAG.test(flag)) };
}
