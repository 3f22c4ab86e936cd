/** The tables of the fleets and of their machines. A Redis that is away holds up nothing else of the page. */
import { requestJson } from './api.js';
import { byId, setHidden } from './dom.js';
import { count, span } from './format.js';
import { figures, keyedRows, names } from './keyed-rows.js';

const counts = (title, of) => figures(title, (item) => count(of(item)));
const jobs = (title) => counts(title, ({ stats }) => stats?.jobs[title.toLowerCase()]);

export class FleetTables {
  #section = byId('fleets-section');
  #isAsking = false;
  #fleets = keyedRows(byId('fleets'), {
    keyOf: (fleet) => fleet.name,
    classOf: ({ error }) => (error === null ? '' : 'bad'),
    columns: [
      { isHead: true, ...names('Fleet', (fleet) => fleet.name) },
      { title: 'Redis', text: ({ error }) => error?.message ?? 'answers' },
      counts('Machines', ({ stats }) => stats?.machines),
      counts('Threads', ({ stats }) => stats?.threads),
      ...['Waiting', 'Active', 'Delayed', 'Completed', 'Failed'].map(jobs),
    ],
  });
  #machines = keyedRows(byId('machines'), {
    keyOf: ({ fleet, id }) => `${id} ${fleet}`,
    columns: [
      { isHead: true, ...names('Machine', (machine) => machine.name) },
      names('Fleet', ({ fleet }) => fleet),
      { title: 'State', text: ({ state }) => state },
      counts('Threads', ({ threads }) => threads),
      counts('Active', ({ active }) => active),
      counts('At most', ({ concurrency }) => concurrency),
      counts('Completed', ({ completed }) => completed),
      counts('Failed', ({ failed }) => failed),
      counts('Given back', ({ returned }) => returned),
      counts('Begun again', ({ repeated }) => repeated),
      figures('Up', ({ upMs }) => span(upMs)),
    ],
  });

  /** Asks for what the server has, unless it is asked already. `show` says whether it is wanted still. Where nothing comes, what was shown stays. */
  async refresh(names, show) {
    if (names.length === 0) return this.#update([]);
    if (this.#isAsking) return;
    this.#isAsking = true;
    const answer = await requestJson('api/fleets').catch(() => undefined);
    this.#isAsking = false;
    if (answer !== undefined && show()) this.#update(answer.fleets);
  }

  #update(fleets) {
    setHidden(this.#section, fleets.length === 0);
    this.#fleets.update(fleets);
    this.#machines.update(
      fleets.flatMap((fleet) =>
        (fleet.stats?.perMachine ?? []).map((machine) => ({ fleet: fleet.name, ...machine })),
      ),
    );
  }
}
