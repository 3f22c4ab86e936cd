/** The metrics of fleets: their queues, and each machine. Of one that does not answer there is nothing but that. */
import type { FleetReading } from '../fleets/fleets.js';
import { type FleetStats, JOB_STATES, type MachineStats } from '../fleets/observable-fleet.js';
import { type Labels, type MetricType, one, type Sample } from './family.js';

/** A metric that each fleet has. */
export interface FleetFamily {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  /** Without the label `fleet`, which every sample gets. */
  read(fleet: FleetReading): readonly Sample[];
}

export const FLEET_FAMILIES: readonly FleetFamily[] = [
  {
    name: 'threadwise_fleet_up',
    type: 'gauge',
    help: '1 if the Redis of the fleet has answered in time, else 0, and then there is nothing else of it',
    read: ({ stats }) => one(stats === null ? 0 : 1),
  },
  {
    name: 'threadwise_fleet_jobs',
    type: 'gauge',
    help: 'Jobs that are in the queue now, by state; completed and failed ones as long as they are kept',
    read: ofAll(({ jobs }) => JOB_STATES.map((state) => ({ labels: { state }, value: jobs[state] }))),
  },
  {
    name: 'threadwise_fleet_machines',
    type: 'gauge',
    help: 'Machines that have said in the last ten seconds that they are there',
    read: ofAll(({ machines }) => one(machines)),
  },
  {
    name: 'threadwise_fleet_open_calls',
    type: 'gauge',
    help: 'Calls of this program that have not settled',
    read: ofAll(({ open }) => one(open)),
  },
  {
    name: 'threadwise_fleet_machine_threads',
    type: 'gauge',
    help: 'Workers of a machine',
    read: ofEach(({ threads }) => one(threads)),
  },
  {
    name: 'threadwise_fleet_machine_concurrency',
    type: 'gauge',
    help: 'Jobs that a machine takes at a time at the most',
    read: ofEach(({ concurrency }) => one(concurrency)),
  },
  {
    name: 'threadwise_fleet_machine_active_jobs',
    type: 'gauge',
    help: 'Jobs that a machine has: running, or about to',
    read: ofEach(({ active }) => one(active)),
  },
  {
    name: 'threadwise_fleet_machine_jobs_total',
    type: 'counter',
    help: 'Attempts that have ended on a machine, by how; returned: given back to the queue',
    read: ofEach(({ completed, failed, returned }) =>
      Object.entries({ completed, failed, returned }).map(([outcome, value]) => ({
        labels: { outcome },
        value,
      })),
    ),
  },
  {
    name: 'threadwise_fleet_machine_recovered_total',
    type: 'counter',
    help: 'Jobs of other machines that this one found abandoned and put back',
    read: ofEach(({ recovered }) => one(recovered)),
  },
  {
    name: 'threadwise_fleet_machine_repeated_total',
    type: 'counter',
    help: 'Starts of jobs that had been started before',
    read: ofEach(({ repeated }) => one(repeated)),
  },
];

function ofAll(read: (stats: FleetStats) => readonly Sample[]): FleetFamily['read'] {
  return ({ stats }) => (stats === null ? [] : read(stats));
}

/** The id as well: several may have one name, and one that has been restarted may be there beside what is left of the one before. */
function ofEach(read: (machine: MachineStats) => readonly Sample[]): FleetFamily['read'] {
  return ofAll(({ perMachine }) =>
    perMachine.flatMap((machine) => {
      const own: Labels = { machine: machine.name, id: machine.id };
      return read(machine).map((sample) => ({ ...sample, labels: { ...own, ...sample.labels } }));
    }),
  );
}
