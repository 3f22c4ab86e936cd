/** The metrics of fleets: queues and machines. A fleet that does not answer has only `threadwise_fleet_up`. */
import type { FleetReading, FleetStats, MachineStats } from '../fleets.js';
import { by, counter, type Families, type Family, gauge, withLabels } from './family.js';

type Read<T> = Family<T>['read'];

export const FLEET_FAMILIES: Families<FleetReading> = {
  threadwise_fleet_up: gauge(
    '1 if the Redis of the fleet has answered in time; 0 if not, and then the fleet has no other metrics',
    ({ stats }) => (stats === null ? 0 : 1),
  ),
  threadwise_fleet_jobs: gauge(
    'Jobs that are in the queue now, by state; completed and failed ones as long as they are kept',
    ofAll(({ jobs: { waiting, active, delayed, failed, completed } }) =>
      by('state', { waiting, active, delayed, failed, completed }),
    ),
  ),
  threadwise_fleet_machines: gauge(
    'Machines that have reported in the last ten seconds',
    ofAll(({ machines }) => machines),
  ),
  threadwise_fleet_open_calls: gauge(
    'Calls of this program that have not settled',
    ofAll(({ open }) => open),
  ),
  threadwise_fleet_machine_threads: gauge(
    'Workers of a machine',
    ofEach(({ threads }) => threads),
  ),
  threadwise_fleet_machine_concurrency: gauge(
    'How many jobs a machine takes at a time at the most',
    ofEach(({ concurrency }) => concurrency),
  ),
  threadwise_fleet_machine_active_jobs: gauge(
    'Jobs of a machine that run, or are about to',
    ofEach(({ active }) => active),
  ),
  threadwise_fleet_machine_jobs_total: counter(
    'Attempts that have ended on a machine, by how; returned: given back to the queue',
    ofEach(({ completed, failed, returned }) => by('outcome', { completed, failed, returned })),
  ),
  threadwise_fleet_machine_recovered_total: counter(
    'Jobs of other machines that this one found abandoned and put back',
    ofEach(({ recovered }) => recovered),
  ),
  threadwise_fleet_machine_repeated_total: counter(
    'Starts of jobs that had been started before',
    ofEach(({ repeated }) => repeated),
  ),
};

function ofAll(read: Read<FleetStats>): Read<FleetReading> {
  return ({ stats }) => stats && read(stats);
}

/** Adds the id as a label: machines may share a name, and a restarted one may be listed beside its former self. */
function ofEach(read: Read<MachineStats>): Read<FleetReading> {
  return ofAll(({ perMachine }) =>
    perMachine.flatMap((machine) => withLabels({ machine: machine.name, id: machine.id }, read(machine))),
  );
}
