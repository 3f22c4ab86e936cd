/** Which inlet belongs to which transport: a worker opens the one that its wire names. */
import type { Port, Wire } from '../core/contracts.js';
import { CoordinatedInlet } from '../transport/coordinator/inlet.js';
import type { CoordinatedMemory } from '../transport/coordinator/layout.js';
import type { Inlet, InletPlatform } from '../transport/inlet.js';
import { MessageInlet } from '../transport/message/inlet.js';
import { SharedInlet } from '../transport/shared/inlet.js';
import type { SharedMemory } from '../transport/shared/layout.js';

type Open = (port: Port, memory: never, platform: InletPlatform) => Inlet;

const INLETS: Readonly<Record<string, Open>> = {
  shared: (port, memory: SharedMemory, platform) => new SharedInlet(port, memory, platform),
  message: (port, board: ArrayBufferLike) => new MessageInlet(port, board),
  coordinator: (port, memory: CoordinatedMemory, platform) => new CoordinatedInlet(port, memory, platform),
};

/** @param port the near side of what `wire.port` is on this thread */
export function openInlet(wire: Wire, port: Port, platform: InletPlatform): Inlet {
  return INLETS[wire.transport]!(port, wire.memory as never, platform);
}
