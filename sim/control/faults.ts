/** The faults of the control interface: the verbs and the form of scenario files. */
import type { Hono } from 'hono';
import { answerEmpty, answerJson } from '../../src/http/responses.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import { isoTime } from '../../src/model/time.ts';
import { checkFault } from '../scenario/checks/faults.ts';
import { Names } from '../scenario/checks/names.ts';
import { faultSchema, type ScenarioFault } from '../scenario/language/faults.ts';
import { FaultInjector } from '../scenario/run/fault-injector.ts';
import type { World } from '../world/world.ts';
import { readWritten } from './access.ts';

/** Limit of active faults: each is checked for every frame. */
const activeMax = 1_000;
const idForm = /^f\d+$/;

/** An active fault: its id, its begin, and the request of the client. */
interface ListedFault {
  readonly id: string;
  readonly since: string;
  readonly name?: string;
}

/** Adds the routes below `path` to `app`. */
export function faultRoutes(app: Hono, path: string, world: World): void {
  const faults = new ControlledFaults(world);
  app.get(path, () => answerJson(faults.list()));
  app.post(path, async (c) => {
    const { value, written } = await readWritten(c.req.raw, faultSchema);
    return answerJson(await faults.inject(value, written as object));
  });
  app.delete(path, async () => {
    await faults.endAll();
    return answerEmpty();
  });
  app.delete(`${path}/:fault`, async (c) => {
    await faults.end(c.req.param('fault'));
    return answerEmpty();
  });
}

/** The faults that clients of the control interface have injected. */
class ControlledFaults {
  readonly #world: World;
  readonly #injector: FaultInjector;
  readonly #names: Names;
  /** Faults that may be active, in order. */
  readonly #injected = new Map<string, ListedFault>();
  #count = 0;

  constructor(world: World) {
    this.#world = world;
    this.#injector = new FaultInjector(world);
    this.#names = new Names(world.map, { areOpen: false });
  }

  list(): readonly ListedFault[] {
    const { active } = this.#injector;
    for (const id of this.#injected.keys()) if (!active.has(id)) this.#injected.delete(id);
    return [...this.#injected.values()];
  }

  /** Returns the id of a fault that stays active; a repair, or a fault that ends at once, has none. */
  async inject(wanted: ScenarioFault, written: object): Promise<{ id: string; active: boolean }> {
    this.#check(wanted);
    const id = `f${++this.#count}`;
    this.#injected.set(id, { id, since: isoTime(this.#world.now()), ...written });
    await this.#injector.inject(wanted, id);
    return { id, active: this.#injector.active.has(id) };
  }

  /** By id or name. Throws a `not_found` fault. */
  async end(which: string): Promise<void> {
    const found = this.list().filter(({ id, name }) => id === which || name === which);
    if (found.length === 0) throw new FaultError(fault('not_found', this.#unknown(which)));
    await Promise.all(found.map(({ id }) => this.#injector.lift(id)));
  }

  endAll(): Promise<void> {
    return this.#injector.liftAll();
  }

  #check(wanted: ScenarioFault): void {
    const { active, names } = this.#injector;
    const [problem] = checkFault(wanted, { names: this.#names, activeFaults: names, path: [] });
    if (problem !== undefined) throw invalid(`${problem.path.join('.')}: ${problem.message}`);
    if (wanted.name !== undefined && idForm.test(wanted.name)) {
      throw invalid(`name: expected another form than that of an id, got "${wanted.name}"`);
    }
    if (active.size >= activeMax)
      throw new FaultError(fault('conflict', `${activeMax} faults are active, which is the limit: lift some`));
  }

  #unknown(which: string): string {
    const active = this.list().map(({ id, name }) => (name === undefined ? id : `${id} (${name})`));
    const there = active.length === 0 ? 'no fault is active' : `active: ${active.slice(0, 20).join(', ')}`;
    return `no active fault has the id or the name "${which.slice(0, 100)}"; ${there}`;
  }
}

function invalid(message: string): FaultError {
  return new FaultError(fault('invalid', message));
}
