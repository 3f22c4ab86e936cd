// Sees to it that `prometheus` and `promtool` are there, for the tests of the metrics: exit code 0 if they are.
import { ensureDebianPackages } from './debian.mjs';

// Only the programs are wanted, not the service: in runlevel 1, Debian starts none.
process.env.RUNLEVEL ??= '1';
if (!ensureDebianPackages(['prometheus'], ['prometheus', 'promtool'])) process.exit(1);
