/** A coordinator that is driven by hand: the real one, on a stage with main and workers. */

import { Coordinator } from '../../coordinator/coordinator.js';
import type { HelperSpec, Thread } from '../../core/contracts.js';
import type { Actor, Step, Surroundings } from '../shared/stage/hand.case.js';
import type { HandPort } from '../shared/stage/stage.case.js';
import type { CoordinatorData } from './messages.js';

export class CoordinatorHand implements Actor, Thread {
  readonly name = 'coordinator';
  isAlive = true;
  readonly #port: HandPort;
  readonly #lines: HandPort[] = [];
  readonly #timers: (() => void)[] = [];
  readonly #spec: HelperSpec;
  readonly #world: Surroundings;
  #hasBegun = false;
  readonly #told: () => void;

  /** @param told called when main hears that the coordinator has ended */
  constructor(spec: HelperSpec, told: () => void, world: Surroundings) {
    this.#spec = spec;
    this.#port = spec.port as HandPort;
    this.#world = world;
    this.#told = told;
  }

  steps(): Step[] {
    if (!this.isAlive) return [];
    if (!this.#hasBegun) return [{ what: 'begins', take: () => this.#begin() }];
    const steps: Step[] = [];
    if (this.#port.hasMessages) steps.push({ what: 'hears', take: () => this.#port.arrive() });
    const [timer] = this.#timers;
    if (timer !== undefined) {
      const take = () => {
        this.#timers.shift();
        timer();
      };
      steps.push({ what: 'timer', take });
    }
    return steps;
  }

  /** The steps that main can take because of the coordinator. */
  readonly mainsSteps = (): Step[] => {
    if (!this.isAlive) return [{ what: 'buries the coordinator', take: this.#told }];
    const near = this.#port.other;
    return near.hasMessages ? [{ what: 'hears the coordinator', take: () => near.arrive() }] : [];
  };

  die(): void {
    this.isAlive = false;
    for (const port of [this.#port, ...this.#lines]) port.cut();
  }

  terminate(): void {
    this.die();
  }

  utilization(): number {
    return 0;
  }

  cpu(): undefined {
    return undefined;
  }

  #begin(): void {
    this.#hasBegun = true;
    const later = (callback: () => void) => this.#timers.push(callback);
    new Coordinator(this.#port, this.#spec.data as CoordinatorData, {
      now: () => this.#world.now(),
      timer: (_ms, callback) => {
        later(callback);
        return { cancel: () => undefined };
      },
      nextTurn: later,
      cpuOf: () => undefined,
      atExit: () => () => undefined,
      memory: () => undefined,
      collectShared: () => undefined,
      spawn: () => {
        throw new Error('Nobody should be started here');
      },
      port: (end) => {
        const line = this.#world.ends.take(end);
        this.#lines.push(line);
        return line;
      },
    });
  }
}
