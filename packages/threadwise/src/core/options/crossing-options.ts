/** How tasks cross, and who decides where they go: what a pool's options and the environment say of it, together. */
import { oneOf, reject } from './checks.js';
import type { OptionContext, PoolOptions, ResolvedOptions } from './options.js';

const DISPATCHES: readonly string[] = [
  'shared-queue',
  'coordinator',
  'direct',
] satisfies ResolvedOptions['dispatch'][];

/** How tasks cross, and who decides where they go: what the code leaves open, the environment or the default says. */
export function resolveCrossing(
  { transport, dispatch, choose }: PoolOptions,
  context: OptionContext,
): Pick<ResolvedOptions, 'transport' | 'dispatch'> {
  const way =
    transport ?? fromEnvironment(context, 'THREADWISE_TRANSPORT', ['auto', 'shared', 'message']) ?? 'auto';
  const isShared = way === 'shared' || (way === 'auto' && context.hasSharedMemory);
  if (way === 'shared' && !context.hasSharedMemory)
    reject('transport', "'message': this runtime has no shared memory", way);
  // Whoever names a strategy wants workers to be chosen.
  const usual = isShared && choose === undefined ? 'shared-queue' : 'direct';
  const crossing = isShared ? 'shared' : 'message';
  const impossible = (wanted: string): [option: string, expected: string] | undefined => {
    if (wanted === 'shared-queue' && !isShared) return ['dispatch', "'direct' with transport 'message'"];
    if (wanted !== 'coordinator') return undefined;
    if (!context.hasSharedMemory) return ['dispatch', "'direct': this runtime has no shared memory"];
    if (choose === undefined || context.builtInName(choose) !== undefined) return undefined;
    return [
      'choose',
      `one of ${context.choices.join(', ')} with dispatch 'coordinator': it is a thread of its own`,
    ];
  };
  if (dispatch !== undefined) {
    const why = impossible(oneOf('dispatch', dispatch, DISPATCHES));
    if (why !== undefined) reject(...why, why[0] === 'choose' ? choose : dispatch);
    return { transport: crossing, dispatch };
  }
  const wanted = fromEnvironment(context, 'THREADWISE_DISPATCH', DISPATCHES) ?? usual;
  const chosen = impossible(wanted) === undefined ? (wanted as ResolvedOptions['dispatch']) : 'direct';
  return { transport: crossing, dispatch: chosen };
}

function fromEnvironment(context: OptionContext, name: string, known: readonly string[]): string | undefined {
  const value = context.env(name);
  return value === undefined || value === '' ? undefined : oneOf(`${name} (environment)`, value, known);
}
