// How to start Redis for a test or a measurement.
import { spawnSync } from 'node:child_process';

const runs = (...command) => spawnSync(command[0], command.slice(1)).status === 0;
/** On Linux Redis ends with the process that started it: if it were left over, its open output would keep a test runner waiting. */
const follower = ['setpriv', '--pdeathsig', 'KILL'];

/** The command and its first arguments; undefined if there is no Redis on this machine. */
export const redisProgram = !runs('redis-server', '--version')
  ? undefined
  : [...(runs(...follower, 'true') ? follower : []), 'redis-server'];
