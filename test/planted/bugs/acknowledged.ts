/** Bugs of what an answer has promised: of records, registrations, controls, removals and sessions. */

import type { RoleScope } from '../../../src/cluster/role.ts';
import { done, type Outcome } from '../../../src/model/fault.ts';
import type { ShownCdr } from '../../../src/model/protocol/messages/callstore.ts';
import type { SessionRecord } from '../../../src/model/protocol/messages/session.ts';
import type { PlantedBug } from '../plant.ts';

type Item = Readonly<Record<string, unknown>>;

interface Dialog {
  readonly inviteid: string;
}

export const acknowledgedBugs: readonly PlantedBug[] = [
  {
    name: 'record-of-a-live-call',
    does: 'callstore gives records of calls that go on.',
    role: 'callstore',
    handlers: (right) => {
      let like: ShownCdr | undefined;
      return {
        'callstore.records': async (body, envelope) => {
          const outcome = await right['callstore.records']?.(body, envelope);
          if (!outcome.ok) return outcome;
          const { records, count } = outcome.value as { records: ShownCdr[]; count: number };
          like = records[0] ?? like;
          const listed = await right['callstore.list']?.({ domain: body.domain, params: [] }, envelope);
          if (like === undefined || !listed.ok || body.own !== undefined) return outcome;
          const live = (listed.value.dialogs as Dialog[])
            .filter(({ inviteid }) => body.inviteid === undefined || body.inviteid === inviteid)
            .map(({ inviteid }) => ({ ...like, inviteid }));
          return done({ ...outcome.value, records: [...records, ...live], count: count + live.length });
        },
      };
    },
  },
  {
    name: 'unregistered-nowhere',
    does: 'b2b says that a device is unregistered though the registrar has failed.',
    role: 'b2b',
    scope: (scope) => answering(scope, 'registrar.unbind', (outcome) => (outcome.ok ? outcome : done({ removed: 0 }))),
  },
  {
    name: 'microphone-for-speaker',
    does: 'mware takes the microphones of participants of meetings for their speakers.',
    role: 'mware',
    scope: (scope) =>
      answering(scope, 'data.list', (outcome) => {
        if (!outcome.ok) return outcome;
        const value = outcome.value as { readonly items: readonly Item[] };
        return done({ ...value, items: value.items.map(({ mic, spk, ...rest }) => ({ ...rest, mic: spk, spk: mic })) });
      }),
  },
  {
    name: 'one-name-removes-all',
    does: 'mware deletes all recordings of a call when one is named.',
    role: 'mware',
    handlers: (right) => ({
      'mware.recordings.delete': (body, envelope) =>
        right['mware.recordings.delete']?.({ ...body, name: undefined }, envelope),
    }),
  },
  {
    name: 'session-bound-nowhere-else',
    does: 'ws does not tell other ws instances to which domain a session was bound.',
    role: 'ws',
    scope: (scope) => {
      const tell: RoleScope['tell'] = (to, type, body) => {
        const { session } = body as { readonly session?: SessionRecord };
        const isBound = (type as string) === 'session.changed' && session !== undefined;
        scope.tell(to, type, isBound ? ({ session: asOpened(session) } as never) : body);
      };
      return { ...scope, tell };
    },
    handlers: (right) => ({
      'session.find': async (body, envelope) => {
        const outcome = await right['session.find']?.(body, envelope);
        const session = outcome.ok ? outcome.value.session : undefined;
        return session === undefined ? outcome : done({ ...outcome.value, session: asOpened(session) });
      },
      'session.changes': async (body, envelope) => {
        const outcome = await right['session.changes']?.(body, envelope);
        if (!outcome.ok) return outcome;
        const changes = outcome.value.changes.filter(({ type }: { readonly type: string }) => type !== 'bound');
        return done({ ...outcome.value, changes });
      },
    }),
  },
];

function asOpened(session: SessionRecord): SessionRecord {
  return { ...session, domain: session.homeDomain, switchedMs: session.openedMs };
}

/** A scope that gets other answers to questions of a type. */
function answering(scope: RoleScope, type: string, change: (outcome: Outcome<unknown>) => Outcome<unknown>): RoleScope {
  const ask: RoleScope['ask'] = async (to, asked, ...rest) => {
    const outcome = await scope.ask(to, asked, ...rest);
    return (asked as string) === type ? (change(outcome) as typeof outcome) : outcome;
  };
  return { ...scope, ask };
}
