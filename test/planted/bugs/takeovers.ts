/** Bugs of failover, of tombstones, of ends that come too early, and of messages that cross. */
import type { RoleScope } from '../../../src/cluster/role.ts';
import { done } from '../../../src/model/fault.ts';
import type { BindingCopy } from '../../../src/model/protocol/messages/registrar.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import type { PlantedBug } from '../plant.ts';
import { isRequest, losing, spoiltStores } from '../spoiling.ts';

/** Whether an instance is not the first of its group: it serves after a failover. */
function isSecond({ map, instance }: RoleScope): boolean {
  return map.groupOf(instance)[0] !== instance;
}

export const takeoverBugs: readonly PlantedBug[] = [
  {
    name: 'lost-cdr-after-takeover',
    does: 'a callstore that has taken over does not write the records of calls.',
    role: 'callstore',
    stores: (stores, scope) =>
      spoiltStores(stores, (store) => ({
        write: async (changes) => {
          if (!isSecond(scope) || !changes.some((change) => 'put' in change && change.put.startsWith('r/')))
            await store.write(changes);
        },
      })),
  },
  {
    name: 'session-tombstones-untold',
    does: 'ws does not tell a peer that asks which sessions were closed.',
    role: 'ws',
    handlers: (right) => ({
      'session.changes': async (body, envelope) => {
        const outcome = await right['session.changes']?.(body, envelope);
        return outcome.ok ? { ok: true, value: { ...outcome.value, changes: [] } } : outcome;
      },
    }),
  },
  {
    name: 'registration-without-tombstone',
    does: 'sr does not tell other sr instances of registrations that were removed.',
    role: 'sr',
    scope: (scope) => losing(scope, 'registrar.copied', ({ bindings }) => bindings.some(({ isRemoved }) => isRemoved)),
    handlers: (right) => ({
      'registrar.sync': async (body, envelope) => {
        const outcome = await right['registrar.sync']?.({ ...body, digest: undefined }, envelope);
        if (!outcome.ok) return outcome;
        const bindings = outcome.value.bindings.filter(({ isRemoved }: BindingCopy) => !isRemoved);
        return { ok: true, value: { ...outcome.value, bindings } };
      },
    }),
  },
  {
    name: 'ban-that-ends-early',
    does: 'sg ends bans when nine tenths of their time are over.',
    role: 'sg',
    handlers: (right) => ({
      'filter.add': (body, envelope) =>
        right['filter.add']?.({ ...body, expires: Math.max(1, Math.floor(body.expires * 0.9)) }, envelope),
    }),
  },
  {
    name: 'registration-that-ends-early',
    does: 'sr ends registrations two seconds before their time.',
    role: 'sr',
    handlers: (right) => ({
      'registrar.bind': (body, envelope) =>
        right['registrar.bind']?.(
          { ...body, binding: { ...body.binding, leftMs: body.binding.leftMs - 2_000 } },
          envelope,
        ),
    }),
  },
  {
    name: 'meeting-that-runs-twice',
    does: 'conf hides the conferences of meetings from mware, which asks for them again and again and calls no participant.',
    role: 'conf',
    handlers: (right) => ({
      'conference.list': async (body, envelope) => {
        const outcome = await right['conference.list']?.(body, envelope);
        if (!outcome.ok) return outcome;
        const conferences = outcome.value.conferences.filter(
          ({ meeting }: { meeting?: object }) => meeting === undefined,
        );
        return { ok: true, value: { ...outcome.value, conferences } };
      },
    }),
  },
  {
    name: 'answer-that-crosses-cancel',
    does: 'b2b does not send BYE to a device that has answered when it was cancelled.',
    role: 'b2b',
    scope: (scope) => losing(scope, 'sip', crossing()),
  },
  {
    name: 'refer-that-sticks',
    does: 'b2b does not pass on how a transfer ended.',
    role: 'b2b',
    scope: (scope) => losing(scope, 'sip', (message) => isRequest(message, 'NOTIFY')),
  },
  {
    name: 'logout-that-is-forgotten',
    does: 'ws says that a logout is done, and does it only where the session was opened.',
    role: 'ws',
    handlers: () => ({ 'session.closed': () => {}, 'session.find': () => done({}) }),
  },
];

/** Picks the BYEs of legs that were cancelled. */
function crossing(): (message: SipMessage) => boolean {
  const cancelled = new Set<string>();
  return (message) => {
    if (isRequest(message, 'CANCEL')) cancelled.add(message.callid);
    return isRequest(message, 'BYE') && cancelled.has(message.callid);
  };
}
