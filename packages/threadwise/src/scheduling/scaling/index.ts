/** The scaling policies by their names: a function cannot go to the coordinator, its name can. */
import type { Scaling } from '../../core/contracts.js';
import { onDemand } from './on-demand.js';

export type ScalingName = 'on-demand';

const POLICIES: Readonly<Record<ScalingName, Scaling>> = { 'on-demand': onDemand as Scaling };

export function scalingOf(name: ScalingName): Scaling {
  return POLICIES[name];
}
