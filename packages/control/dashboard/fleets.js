/** The tables of the fleets and of their machines. A Redis that is away holds up nothing else of the page. */
import { requestJson } from './api.js';
import { byId, nameNode, setHidden, setText } from './dom.js';
import { count, span } from './format.js';
import { KeyedRows } from './keyed-rows.js';

const name = (of) => ({
  make: () => nameNode(''),
  show: (node, item) => setText(node, of(item)),
});
const number = (of) => ({ isNumber: true, text: (item) => count(of(item)) });
const jobs = (state) => number(({ stats }) => stats?.jobs[state]);

export class FleetTables {
  #section = byId('fleets-section');
  #isAsking = false;
  #fleets = new KeyedRows(byId('fleets'), {
    keyOf: (fleet) => fleet.name,
    classOf: ({ error }) => (error === null ? '' : 'bad'),
    columns: [
      { isHead: true, ...name((fleet) => fleet.name) },
      { text: ({ error }) => error?.message ?? 'answers' },
      number(({ stats }) => stats?.machines),
      number(({ stats }) => stats?.threads),
      ...['waiting', 'active', 'delayed', 'completed', 'failed'].map(jobs),
    ],
  });
  #machines = new KeyedRows(byId('machines'), {
    keyOf: ({ fleet, id }) => `${id} ${fleet}`,
    columns: [
      { isHead: true, ...name((machine) => machine.name) },
      name(({ fleet }) => fleet),
      { text: ({ state }) => state },
      number(({ threads }) => threads),
      number(({ active }) => active),
      number(({ concurrency }) => concurrency),
      number(({ completed }) => completed),
      number(({ failed }) => failed),
      number(({ returned }) => returned),
      number(({ repeated }) => repeated),
      { isNumber: true, text: ({ upMs }) => span(upMs) },
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
