/** The shared transport on Node: the suite of all transports, and what only shared memory promises. */
import type { MessagePort } from 'node:worker_threads';
import { nodePlatform } from '../../platform/node/platform.js';
import { NodePort } from '../../platform/node/port.js';
import type { Ground } from '../rig.case.js';
import { transportConformance } from '../transport.case.js';
import { sharedTransport } from './exchange.js';
import { SIZES } from './layout.js';

const ground = (name: string, sizes = SIZES): Ground => ({
  name,
  transport: sharedTransport(sizes),
  platform: nodePlatform,
  farPort: (wire) => new NodePort(wire.port as MessagePort),
});

transportConformance(ground('shared transport'));
