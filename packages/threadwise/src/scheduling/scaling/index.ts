/** The scaling policies by their names: a function cannot go to the coordinator, its name can. */
import type { Scaling } from '../../core/contracts.js';
import { measured } from './measured.js';
import { onDemand } from './on-demand.js';

export type ScalingName = 'measured' | 'on-demand';

export function scalingOf(name: ScalingName): Scaling {
  return (name === 'measured' ? measured : onDemand) as Scaling;
}
