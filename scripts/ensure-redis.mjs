// Makes sure that `redis-server` is there, for the tests of the fleet: exit code 0 if it is.
import { ensureDebianPackages } from './debian.mjs';

// Only the program is needed, not the service: in runlevel 1, Debian does not start it.
process.env.RUNLEVEL ??= '1';
if (!ensureDebianPackages(['redis-server'], ['redis-server'])) process.exit(1);
