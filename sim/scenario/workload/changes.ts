/** Changes of the configuration as a part of a workload: entities are created, changed and deleted. */
import { entityOf } from '../../../src/model/entities/entities.ts';
import type { WorkloadChanges } from '../workload-schema.ts';
import { Account, Beat, drawn, oneOf, type Part } from './part.ts';
import type { RequestsScene } from './requests.ts';

type Change = 'create' | 'patch' | 'delete';
type Data = Record<string, unknown>;

const usualMix: Readonly<Record<Change, number>> = { create: 2, patch: 2, delete: 1 };
const methods: Readonly<Record<Change, string>> = { create: 'POST', patch: 'PATCH', delete: 'DELETE' };

/** What must be given to create the n-th of a kind. Kinds that are not here need nothing. */
const required: Readonly<Record<string, (n: number) => Data>> = {
  user: (n) => ({ login: `worker-${n}`, name: `Worker ${n}`, pwd: 'worker' }),
  sipuser: (n) => ({ login: `s${n}`, pwd: 'worker', phonenumber: `8${String(n).padStart(5, '0')}` }),
  roleapp: (n) => ({ folder: `app-${n}` }),
  recordrule: (n) => ({ priority: n }),
  chatcampaign: (n) => ({ code: `campaign-${n}` }),
  selector: (n) => ({ displayname: `Meeting ${n}`, topology_mode: 'direct' }),
  borderrule: (n) => ({ priority: 100_000 + n, action: 'allow' }),
};

/** `domain`: that of the session in whose name it is changed. */
export function changesPart(wanted: WorkloadChanges, scene: RequestsScene & { readonly domain: string }): Part {
  const { rate, through = scene.fronts, as, mix = usualMix, most } = wanted;
  const entity = entityOf(wanted.entity);
  const path = entity.path.replace(':domain_id', scene.domain);
  const accounts = new Map(
    (Object.keys(methods) as Change[]).map((change) => [change, new Account(`${change} ${entity.kind}`)]),
  );
  const ids: string[] = [];
  let count = 0;
  const draw = (): Change => {
    const change = drawn(Object.entries(mix) as [Change, number][], scene.random) ?? 'create';
    if (ids.length === 0) return 'create';
    return change === 'create' && ids.length >= most ? 'delete' : change;
  };
  const begin = () => {
    const change = draw();
    const account = accounts.get(change);
    const id = oneOf(ids, scene.random);
    if (account === undefined) return;
    account.started += 1;
    count += 1;
    if (change === 'delete' && id !== undefined) ids.splice(ids.indexOf(id), 1);
    const body =
      change === 'create'
        ? (required[entity.kind]?.(count) ?? {})
        : change === 'patch'
          ? patchOf(entity.kind, count)
          : undefined;
    const asked = { through: oneOf(through, scene.random) ?? '', as, method: methods[change] };
    const fail = () => {
      account.failed += 1;
    };
    scene.desk
      .askOrNone({ ...asked, path: change === 'create' ? path : `${path}/${id}`, ...(body !== undefined && { body }) })
      .then((answer) => {
        if (answer === undefined || answer.status >= 400) return fail();
        account.acknowledged += 1;
        const made = (answer.body as Data | undefined)?.['id'];
        if (change === 'create' && typeof made === 'string') ids.push(made);
      }, fail);
  };
  const beat = new Beat(rate, scene, begin);
  return {
    start: () => beat.start(),
    stop: () => beat.stop(),
    account: () => [...accounts.values()].map((account) => account.report()).filter(({ started }) => started > 0),
  };
}

function patchOf(kind: string, n: number): Data {
  return kind === 'selector' ? { comment: `change ${n}` } : { opts: { comment: `change ${n}` } };
}
