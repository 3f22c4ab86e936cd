/** The tables of the fleets and of their machines. A Redis that is away holds up nothing else of the page. */
import { requestJson } from './api.js';
import { byId, nameNode, setHidden, setText } from './dom.js';
import { count, span } from './format.js';
import { KeyedRows } from './keyed-rows.js';

const name = (title, of) => ({
  title,
  make: () => nameNode(''),
  show: (node, item) => setText(node, of(item)),
});
const number = (title, of) => ({ title, isNumber: true, text: (item) => count(of(item)) });
const jobs = (title) => number(title, ({ stats }) => stats?.jobs[title.toLowerCase()]);

export class FleetTables {
  #section = byId('fleets-section');
  #isAsking = false;
  #fleets = new KeyedRows(byId('fleets'), {
    keyOf: (fleet) => fleet.name,
    classOf: ({ error }) => (error === null ? '' : 'bad'),
    columns: [
      { isHead: true, ...name('Fleet', (fleet) => fleet.name) },
      { title: 'Redis', text: ({ error }) => error?.message ?? 'answers' },
      number('Machines', ({ stats }) => stats?.machines),
      number('Threads', ({ stats }) => stats?.threads),
      ...['Waiting', 'Active', 'Delayed', 'Completed', 'Failed'].map(jobs),
    ],
  });
  #machines = new KeyedRows(byId('machines'), {
    keyOf: ({ fleet, id }) => `${id} ${fleet}`,
    columns: [
      { isHead: true, ...name('Machine', (machine) => machine.name) },
      name('Fleet', ({ fleet }) => fleet),
      { title: 'State', text: ({ state }) => state },
      number('Threads', ({ threads }) => threads),
      number('Active', ({ active }) => active),
      number('At most', ({ concurrency }) => concurrency),
      number('Completed', ({ completed }) => completed),
      number('Failed', ({ failed }) => failed),
      number('Given back', ({ returned }) => returned),
      number('Begun again', ({ repeated }) => repeated),
      { title: 'Up', isNumber: true, text: ({ upMs }) => span(upMs) },
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
