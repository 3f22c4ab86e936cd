/** The metrics of fleets: their queues, and each machine. Of one that does not answer there is nothing but that. */
import type { FleetReading, FleetStats, MachineStats } from '../fleets.js';
import { by, counter, type Family, gauge, withLabels } from './family.js';

type Read<T> = Family<T>['read'];

export const FLEET_FAMILIES: readonly Family<FleetReading>[] = [
  gauge(
    'threadwise_fleet_up',
    '1 if the Redis of the fleet has answered in time, else 0, and then there is nothing else of it',
    ({ stats }) => (stats === null ? 0 : 1),
  ),
  gauge(
    'threadwise_fleet_jobs',
    'Jobs that are in the queue now, by state; completed and failed ones as long as they are kept',
    ofAll(({ jobs: { waiting, active, delayed, failed, completed } }) =>
      by('state', { waiting, active, delayed, failed, completed }),
    ),
  ),
  gauge(
    'threadwise_fleet_machines',
    'Machines that have said in the last ten seconds that they are there',
    ofAll(({ machines }) => machines),
  ),
  gauge(
    'threadwise_fleet_open_calls',
    'Calls of this program that have not settled',
    ofAll(({ open }) => open),
  ),
  gauge(
    'threadwise_fleet_machine_threads',
    'Workers of a machine',
    ofEach(({ threads }) => threads),
  ),
  gauge(
    'threadwise_fleet_machine_concurrency',
    'Jobs that a machine takes at a time at the most',
    ofEach(({ concurrency }) => concurrency),
  ),
  gauge(
    'threadwise_fleet_machine_active_jobs',
    'Jobs that a machine has: running, or about to',
    ofEach(({ active }) => active),
  ),
  counter(
    'threadwise_fleet_machine_jobs_total',
    'Attempts that have ended on a machine, by how; returned: given back to the queue',
    ofEach(({ completed, failed, returned }) => by('outcome', { completed, failed, returned })),
  ),
  counter(
    'threadwise_fleet_machine_recovered_total',
    'Jobs of other machines that this one found abandoned and put back',
    ofEach(({ recovered }) => recovered),
  ),
  counter(
    'threadwise_fleet_machine_repeated_total',
    'Starts of jobs that had been started before',
    ofEach(({ repeated }) => repeated),
  ),
];

function ofAll(read: Read<FleetStats>): Read<FleetReading> {
  return ({ stats }) => stats && read(stats);
}

/** The id as well: several may have one name, and one that has been restarted may be there beside what is left of the one before. */
function ofEach(read: Read<MachineStats>): Read<FleetReading> {
  return ofAll(({ perMachine }) =>
    perMachine.flatMap((machine) => withLabels({ machine: machine.name, id: machine.id }, read(machine))),
  );
}
