/** The configuration changes of a workload: entities are created, patched and deleted. */
import { entityOf } from '../../../src/model/entities/entities.ts';
import type { WorkloadChanges } from '../language/workloads.ts';
import type { RequestsContext } from './load-parts.ts';
import { drawn, OperationCounter, oneOf, PoissonTimer, type Tally, type WorkloadPart } from './tally.ts';

type Change = 'create' | 'patch' | 'delete';
type Data = Record<string, unknown>;

const usualMix: Readonly<Record<Change, number>> = { create: 2, patch: 2, delete: 1 };
const methods: Readonly<Record<Change, string>> = { create: 'POST', patch: 'PATCH', delete: 'DELETE' };

/** Required fields for the n-th item of a kind. Kinds that are missing here have none. */
const required: Readonly<Record<string, (n: number) => Data>> = {
  user: (n) => ({ login: `worker-${n}`, name: `Worker ${n}`, pwd: 'worker' }),
  sipuser: (n) => ({ login: `s${n}`, pwd: 'worker', phonenumber: `8${String(n).padStart(5, '0')}` }),
  roleapp: (n) => ({ folder: `app-${n}` }),
  recordrule: (n) => ({ priority: n }),
  chatcampaign: (n) => ({ code: `campaign-${n}` }),
  selector: (n) => ({ displayname: `Meeting ${n}`, topology_mode: 'direct' }),
  borderrule: (n) => ({ priority: 100_000 + n, action: 'allow' }),
};

/** `domain`: the domain of the session that makes the changes. */
export type ChangesContext = RequestsContext & { readonly domain: string };

export class ChangesPart implements WorkloadPart {
  readonly #wanted: WorkloadChanges;
  readonly #context: ChangesContext;
  readonly #path: string;
  readonly #accounts: Readonly<Record<Change, OperationCounter>>;
  readonly #beat: PoissonTimer;
  /** Created items that still exist. */
  readonly #ids: string[] = [];
  #count = 0;

  constructor(wanted: WorkloadChanges, context: ChangesContext) {
    const { kind, path } = entityOf(wanted.entity);
    this.#wanted = wanted;
    this.#context = context;
    this.#path = path.replace(':domain_id', context.domain);
    this.#accounts = {
      create: new OperationCounter(`create ${kind}`),
      patch: new OperationCounter(`patch ${kind}`),
      delete: new OperationCounter(`delete ${kind}`),
    };
    this.#beat = new PoissonTimer(wanted.rate, context, () => this.#begin(this.#draw()));
  }

  start(): void {
    this.#beat.start();
  }

  stop(): void {
    this.#beat.stop();
  }

  tallies(): Tally[] {
    const tallies = Object.values(this.#accounts).map((account) => account.report());
    return tallies.filter(({ started }) => started > 0);
  }

  #draw(): Change {
    const { mix = usualMix, most } = this.#wanted;
    const change = drawn(Object.entries(mix) as [Change, number][], this.#context.random) ?? 'create';
    if (this.#ids.length === 0) return 'create';
    return change === 'create' && this.#ids.length >= most ? 'delete' : change;
  }

  #begin(change: Change): void {
    const { apiClients, fronts, random } = this.#context;
    const { as, through = fronts } = this.#wanted;
    const account = this.#accounts[change];
    const id = oneOf(this.#ids, random);
    account.started += 1;
    this.#count += 1;
    if (change === 'delete' && id !== undefined) this.#ids.splice(this.#ids.indexOf(id), 1);
    const path = change === 'create' ? this.#path : `${this.#path}/${id}`;
    const asked = { through: oneOf(through, random) ?? '', as, method: methods[change], path, ...this.#bodyOf(change) };
    apiClients.sendOrNone(asked).then(
      (answer) => {
        if (!account.record(answer)) return;
        const made = (answer?.body as Data | undefined)?.['id'];
        if (change === 'create' && typeof made === 'string') this.#ids.push(made);
      },
      () => account.record(undefined),
    );
  }

  #bodyOf(change: Change): { body?: Data } {
    const { entity } = this.#wanted;
    if (change === 'create') return { body: required[entity]?.(this.#count) ?? {} };
    return change === 'patch' ? { body: patchOf(entity, this.#count) } : {};
  }
}

function patchOf(kind: string, n: number): Data {
  return kind === 'selector' ? { comment: `change ${n}` } : { opts: { comment: `change ${n}` } };
}
