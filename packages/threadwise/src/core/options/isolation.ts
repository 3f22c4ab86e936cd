/** Which options go with workers in processes of their own, and which do not. */
import { reject } from './checks.js';

const WITH = "with isolation 'process'";
/** What a process can be told of its heap, and a thread of its own memory. */
const LIMITS = ['maxOldGenerationSizeMb', 'maxYoungGenerationSizeMb'];

/** The options that isolation has to do with, checked one by one. */
interface Given {
  readonly isolation: 'thread' | 'process' | undefined;
  readonly transport: string | undefined;
  readonly dispatch: string | undefined;
  readonly placement: string;
  readonly worker: {
    readonly env: unknown;
    readonly cwd: string | undefined;
    readonly resourceLimits: Readonly<Record<string, number>> | undefined;
  };
}

/**
 * What the code says, or else the environment (THREADWISE_ISOLATION), as far as the other options allow. Throws ERR_OPTION.
 * @param fromEnvironment what a variable says
 */
export function resolveIsolation(
  given: Given,
  { hasProcesses }: { readonly hasProcesses: boolean },
  fromEnvironment: (name: string) => 'thread' | 'process' | undefined,
): 'thread' | 'process' {
  const { isolation, worker } = given;
  const why = hasProcesses ? whyNot(given) : refusal('isolation', "'thread' on this system", isolation);
  if (isolation === 'process' && why !== undefined) return reject(...why);
  const wanted = isolation ?? fromEnvironment('THREADWISE_ISOLATION');
  if (wanted === 'process' && why === undefined) return wanted;
  if (worker.cwd === undefined) return 'thread';
  return reject('worker.cwd', `nothing ${WITH.replace('process', 'thread')}: threads share one`, worker.cwd);
}

type Refusal = readonly [option: string, expected: string, value: unknown];

const refusal = (...of: Refusal): Refusal => of;

function whyNot({ transport, dispatch, placement, worker }: Given): Refusal | undefined {
  const { env, resourceLimits = {} } = worker;
  if (transport === 'shared')
    return refusal('transport', `'message' ${WITH}: processes share no memory`, transport);
  if (dispatch !== undefined && dispatch !== 'direct')
    return refusal('dispatch', `'direct' ${WITH}`, dispatch);
  if (placement !== 'threads') return refusal('placement', `'threads' ${WITH}`, placement);
  if (typeof env === 'symbol') return refusal('worker.env', `an object ${WITH}`, env);
  const limit = Object.keys(resourceLimits).find((key) => !LIMITS.includes(key));
  return limit === undefined
    ? undefined
    : refusal('worker.resourceLimits', `${LIMITS.join(', ')} ${WITH}`, limit);
}

export function placementOfProcesses(option: string, value: unknown): 'threads' {
  return value === 'threads' ? value : reject(option, `'threads' ${WITH}`, value);
}
