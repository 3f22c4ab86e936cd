/** The endpoint of each transport: a worker opens that of the transport which its wire names. */
import type { Port, Wire } from '../core/contracts.js';
import { Given } from '../transport/coordinator/given.js';
import type { Endpoint, EndpointPlatform } from '../transport/endpoint.js';
import { Line } from '../transport/line.js';
import { ClaimBoard } from '../transport/message/claim-board.js';
import { MessageEndpoint } from '../transport/message/endpoint.js';
import { SharedEndpoint } from '../transport/shared/worker/endpoint.js';
import type { SharedMemory } from '../transport/shared/layout.js';

type Open = (line: Line, memory: never, platform: EndpointPlatform) => Endpoint;

const ENDPOINTS: Readonly<Record<string, Open>> = {
  shared: (line, memory: SharedMemory, platform) => new SharedEndpoint(line, memory, platform),
  message: (line, board: ArrayBufferLike, platform) =>
    new MessageEndpoint(line, new ClaimBoard(board), platform.now),
  coordinator: (line, memory: SharedMemory, platform) =>
    new SharedEndpoint(line, memory, platform, new Given(memory, platform)),
};

/** @param port the port that this thread has made of `wire.port` */
export function openEndpoint(wire: Wire, port: Port, platform: EndpointPlatform): Endpoint {
  return ENDPOINTS[wire.transport]!(new Line(port), wire.memory as never, platform);
}
