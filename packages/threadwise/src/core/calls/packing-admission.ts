/** The calls of a pool that has registered classes: their arguments and results have instances of them. */
import type { Instances } from '../contracts.js';
import type { Engine } from '../engine.js';
import { isList } from '../options/checks.js';
import { Admission } from './admission.js';

export class PackingAdmission extends Admission {
  readonly #instances: Instances;

  constructor(engine: Engine, instances: Instances) {
    super(engine);
    this.#instances = instances;
  }

  override async enter(name: unknown, args: unknown, ...rest: Rest): Promise<unknown> {
    try {
      const own = isList(args) ? this.#instances.packArguments(args) : args;
      return this.#instances.unpack(await super.enter(name, own, ...rest));
    } catch (error) {
      throw this.#instances.unpackError(error);
    }
  }
}

type Rest = Parameters<Admission['enter']> extends [unknown, unknown, ...infer R] ? R : never;
