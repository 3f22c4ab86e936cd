// A server that computes, with several numbers of cores and of threads.
import { withInline } from '../conclusions/rows.js';
import { conclude, judge, page, tables } from './cores/page.js';
import { published } from './cores/published.js';
import { CORES, curveOf, scenarios } from './cores/scenarios.js';

export default {
  id: 'cores',
  title: 'Cores and threads: a server that computes for each request',
  threads: 2,
  scenarios,
  published,
  differs:
    'A request computes for about 100 ms (it counts prime numbers), as long as the published one; its answer is checked. The ' +
    'pool of the chapter is rebuilt: bare workers, called by name and number, the least busy one first. Beside it: ours, ' +
    'piscina, and the same server without threads. The load is ten connections, as published, but of a simple program of ours, ' +
    'and for two seconds a round, not for two minutes. The load may run on every core; the server may not, as it is bound to some. In the ' +
    'chapter the server had up to four of sixteen cores, and the load ran on others; here the load has no core to itself where ' +
    'the server is bound to all. The server has at most as many cores as this machine, and at most four.',
  judge,
  page,
  conclude,
  tables,
  byConstruction: [
    {
      text: 'A server that is bound to cores uses no more than these',
      holds: (all) =>
        every(
          all,
          ({ curve }, { coresUsed }) => coresUsed.median < MARGIN * CORES.find((n) => curveOf(n) === curve),
        ),
    },
    {
      text: 'Threads make no request cheaper: on one core they cannot get more done than is done without them',
      holds: (all) =>
        every(withInline(all), ({ rows: others }, { cpuMsPerRequest }) => {
          const inline = others.find(({ role }) => role === 'inline')?.figures.cpuMsPerRequest;
          return inline === undefined || cpuMsPerRequest.median > inline.median / CHEAPER;
        }),
    },
  ],
};

/** The factor by which clocks of the system may differ. */
const MARGIN = 1.25;
/** The factor by which the same work may cost more when other programs take caches and parts of a core. */
const CHEAPER = 4;

/** Whether `isTrue` holds for every row that was measured; undefined if none was. */
function every(scenarios, isTrue) {
  const measured = scenarios.flatMap((scenario) =>
    scenario.rows
      .filter(({ figures }) => figures.coresUsed !== undefined)
      .map(({ figures }) => isTrue(scenario, figures)),
  );
  return measured.length === 0 ? undefined : measured.every(Boolean);
}
