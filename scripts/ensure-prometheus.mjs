// Makes sure that `prometheus` and `promtool` are there, for the tests of the metrics: exit code 0 if they are.
import { ensureDebianPackages } from './debian.mjs';

// Only the programs are needed, not the service: in runlevel 1, Debian does not start it.
process.env.RUNLEVEL ??= '1';
if (!ensureDebianPackages(['prometheus'], ['prometheus', 'promtool'])) process.exit(1);
