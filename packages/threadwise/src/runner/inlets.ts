/** Which inlet belongs to which transport: a worker opens the one that its wire names. */
import type { Port, Wire } from '../core/contracts.js';
import { CoordinatedInlet } from '../transport/coordinator/inlet.js';
import type { CoordinatedMemory } from '../transport/coordinator/layout.js';
import type { Inlet, InletPlatform } from '../transport/inlet.js';
import { AccountedLine, type Line } from '../transport/line.js';
import { MessageInlet } from '../transport/message/inlet.js';
import { SharedInlet } from '../transport/shared/inlet.js';
import type { SharedMemory } from '../transport/shared/layout.js';

type Open = (line: Line, memory: never, platform: InletPlatform) => Inlet;

const INLETS: Readonly<Record<string, Open>> = {
  shared: (line, memory: SharedMemory, platform) => new SharedInlet(line, memory, platform),
  message: (line, board: ArrayBufferLike) => new MessageInlet(line, board),
  coordinator: (line, memory: CoordinatedMemory, platform) => new CoordinatedInlet(line, memory, platform),
};

/** @param port the near side of what `wire.port` is on this thread */
export function openInlet(wire: Wire, port: Port, platform: InletPlatform): Inlet {
  return INLETS[wire.transport]!(new AccountedLine(port), wire.memory as never, platform);
}
