/** The message transport over pipes, with a claim board in a file. */
import type { Wire } from '../../core/contracts.js';
import { Line } from '../../transport/line.js';
import { MessageEndpoint } from '../../transport/message/endpoint.js';
import { transportConformance } from '../../transport/transport.case.js';
import { type BoardFile, workerBoard } from './board.js';
import { farPortOf } from './loopback.case.js';
import { processPlatform, processTransport } from './platform.js';
import type { PipePort } from './port.js';

transportConformance({
  name: 'message transport over pipes',
  transport: processTransport,
  platform: processPlatform,
  farPort: (wire: Wire) => farPortOf(wire.port as PipePort, wire.memory as BoardFile),
  openEndpoint: (wire, far) =>
    new MessageEndpoint(new Line(far), workerBoard(wire.memory as BoardFile), () => performance.now()),
  sharesNoMemory: 'processes share no memory',
});
