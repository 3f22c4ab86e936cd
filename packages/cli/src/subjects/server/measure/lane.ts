/** One way of running the app: its process or processes, what it is asked for, and what was measured of it, round by round. */
import { type Child, describeFailure, type Failure } from '../../../experiment/child.js';
import { seriesOf } from '../../../experiment/statistics.js';
import type { AppTalk } from '../app/process.js';
import type { LoadSlice } from '../load/process.js';
import { type ErrorSamples, type LaneSamples, NOTHING_MEASURED, SERIES } from '../rules/samples.js';
import type { AppOpened, AppSlice, RequestPlan } from './protocol.js';

export type LaneName = 'asIs' | 'control' | 'offloaded' | 'cluster';

/** For messages, and for the display of the progress. */
export const LANE_NAMES: Readonly<Record<LaneName, string>> = {
  asIs: 'the app as it is',
  control: 'the app as it is, again',
  offloaded: 'offloading',
  cluster: 'the cluster',
};

/** What the load generator and the app itself say of the same time. */
export interface AppSliceUnderLoad {
  readonly load: LoadSlice;
  readonly app: AppSlice;
}

export interface AppLane {
  readonly name: LaneName;
  readonly child: Child<AppTalk>;
  readonly opened: AppOpened;
  readonly requests: readonly RequestPlan[];
  errors: ErrorSamples;
  isDead: boolean;
}

export function newLane(of: Pick<AppLane, 'name' | 'child' | 'opened' | 'requests'>): AppLane {
  return { ...of, errors: NOTHING_MEASURED.errors, isDead: false };
}

/** Errors count whenever they happen, also while it is warmed up. */
export function addErrors(
  sum: ErrorSamples,
  { answers, bad, sockets, timeouts, first }: LoadSlice,
): ErrorSamples {
  return {
    answers: sum.answers + answers,
    bad: sum.bad + bad,
    sockets: sum.sockets + sockets,
    timeouts: sum.timeouts + timeouts,
    first: sum.first ?? first,
  };
}

export function samplesOf({ errors, child }: AppLane, slices: readonly AppSliceUnderLoad[]): LaneSamples {
  const measured = slices.map(({ load, app }) => ({
    ...load,
    ...app,
    loadShare: load.cpuShare,
    loadLoopShare: load.loopShare,
    otherShare: Math.max(0, load.othersShare - app.cpuShare),
  }));
  return { ...seriesOf(measured, ...SERIES), errors, ended: child.ended };
}

/** Why there is no such lane: what failed, and what its process said last. */
export function whyNot(failure: Failure, child: Child<AppTalk>): string {
  const words = failure.kind === 'ended' ? child.lastWords : '';
  const what = failure.kind === 'failed' ? failure.error.message : describeFailure(failure);
  return words === '' ? what : `${what}: ${words.replaceAll('\n', ' / ')}`;
}
