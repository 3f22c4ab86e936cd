// How a Redis is started for a test or a measurement.
import { spawnSync } from 'node:child_process';

const runs = (...command) => spawnSync(command[0], command.slice(1)).status === 0;
/** On Linux it ends with the process that started it, however that ends: what is left would keep its output open, and so a runner waiting. */
const follower = ['setpriv', '--pdeathsig', 'KILL'];

/** The command and its first arguments; undefined: there is no Redis on this machine. */
export const redisProgram = !runs('redis-server', '--version')
  ? undefined
  : [...(runs(...follower, 'true') ? follower : []), 'redis-server'];
