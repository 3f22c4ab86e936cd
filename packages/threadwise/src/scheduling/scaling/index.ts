/** The scaling policies by their names: a function cannot go to the coordinator, its name can. */
import type { Scaling } from '../../core/contracts.js';
import { measured } from './measured.js';
import { onDemand } from './on-demand.js';

export type ScalingName = 'measured' | 'on-demand';

const POLICIES = { measured, 'on-demand': onDemand } as Readonly<Record<ScalingName, Scaling>>;

export function scalingOf(name: ScalingName): Scaling {
  return POLICIES[name];
}
