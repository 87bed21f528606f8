/** Bugs that only the histories of clients show: of changes at once, of unique values, of copies, of lists. */
import { failed, fault } from '../../../src/model/fault.ts';
import type { AnyHandler, PlantedBug } from '../plant.ts';

type Item = Readonly<Record<string, unknown>>;

/** How long a change that is based on an older state takes. */
const slowMs = 20;

export const historyBugs: readonly PlantedBug[] = [
  {
    name: 'lost-update',
    does: 'mdc bases a change on the options as they were shortly before: of two changes at once the second undoes the first.',
    role: 'mdc',
    handlers: (right, scope) => ({
      'data.patch': async (body, envelope) => {
        const { patch, ...place } = body;
        const before = await right['data.get']?.({ ...place, isAdmin: true }, envelope);
        await new Promise<void>((resolve) => scope.clock.setTimer(slowMs, resolve));
        const opts =
          before.ok && patch.opts !== undefined ? { opts: { ...before.value.item.opts, ...patch.opts } } : {};
        return right['data.patch']?.({ ...body, patch: { ...patch, ...opts } }, envelope);
      },
    }),
  },
  {
    name: 'unique-value-stays-taken',
    does: 'mdc keeps a unique name taken when its item is removed.',
    role: 'mdc',
    handlers: (right) => {
      const taken = new Set<string>();
      const keyOf = ({ kind, domain }: Item, { login, code, folder }: Item) =>
        `${String(kind)} ${String(domain)} ${String(login ?? code ?? folder)}`;
      return {
        'data.delete': async (body, envelope) => {
          const before = await right['data.get']?.({ ...body, isAdmin: true }, envelope);
          const outcome = await right['data.delete']?.(body, envelope);
          if (outcome.ok && before.ok) taken.add(keyOf(body, before.value.item));
          return outcome;
        },
        'data.create': (body, envelope) => {
          const name = body.given.login === undefined ? (body.given.code === undefined ? 'folder' : 'code') : 'login';
          if (!taken.has(keyOf(body, body.given))) return right['data.create']?.(body, envelope);
          return failed(fault('conflict', `${name}: ${JSON.stringify(body.given[name])} is taken`));
        },
      };
    },
  },
  {
    name: 'copy-hides-its-age',
    does: 'sdc says that its copy is of this moment, however long it has not heard of the master.',
    role: 'sdc',
    handlers: (right) => ({
      'data.get': younger(right['data.get']),
      'data.list': younger(right['data.list']),
    }),
  },
  {
    name: 'filter-with-equals',
    does: 'mdc takes < and > of a filter for <= and >=.',
    role: 'mdc',
    handlers: (right) => ({
      'data.list': (body, envelope) => {
        const params = body.params.map(([name, text]: readonly [string, string]) =>
          name === 'filter' ? [name, text.replaceAll('"<"', '"<="').replaceAll('">"', '">="')] : [name, text],
        );
        return right['data.list']?.({ ...body, params }, envelope);
      },
    }),
  },
  {
    name: 'count-after-paging',
    does: 'mdc counts the items of a page, not all items that the filter selects.',
    role: 'mdc',
    handlers: (right) => ({
      'data.list': async (body, envelope) => {
        const outcome = await right['data.list']?.(body, envelope);
        if (!outcome.ok || outcome.value.count === undefined) return outcome;
        return { ok: true, value: { ...outcome.value, count: Math.min(outcome.value.count, 2) } };
      },
    }),
  },
  {
    name: 'response-mode-too-high',
    does: 'mware waits for Y where the client wants the answer when X has answered.',
    role: 'mware',
    handlers: (right) => ({
      'mware.call.start': (body, envelope) => {
        const { call } = body;
        const mode = call.response_mode === 1 ? 2 : call.response_mode;
        return right['mware.call.start']?.({ ...body, call: { ...call, response_mode: mode } }, envelope);
      },
    }),
  },
];

function younger(right: AnyHandler | undefined): AnyHandler {
  return async (body, envelope) => {
    const outcome = await right?.(body, envelope);
    if (outcome.ok)
      return outcome.value.ageMs === undefined ? outcome : { ok: true, value: { ...outcome.value, ageMs: 0 } };
    return outcome.fault.ageMs === undefined ? outcome : { ok: false, fault: { ...outcome.fault, ageMs: 0 } };
  };
}
