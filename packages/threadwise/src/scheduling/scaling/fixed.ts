/** Always as many workers as allowed: for pools whose minimum is their maximum. */
import type { Scaling } from '../../core/contracts.js';

export const fixed: Scaling = {
  name: 'fixed',
  target: (load) => load.max,
};
