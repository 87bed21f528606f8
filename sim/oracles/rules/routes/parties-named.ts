/** A command that names a party of a call by its URI is about that party. */
import type { DialogRecord } from '../../../../src/model/protocol/messages/dialog.ts';
import type { OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { setLast, together } from '../kit/shared.ts';

const call = /\/uc\/calls(?:_by_participation)?\/([^/]+)$/;
const uri = /^<?sip:([^@>;]+)@([^@>;]+)>?$/;
/** Of calls, the last ones. */
const mostKept = 2_000;

export const partiesNamed: OracleMaker = {
  name: 'parties-named',
  rule: 'A command that names a party of a call by a URI (by) is refused if no party has it: neither its user part as number or name with its domain, nor a leg with that URI.',
  exclusions: 'Calls with a party outside the platform, which has no domain of its own.',
  make: ({ map, check, fail }) => {
    const calls = new Map<string, DialogRecord[]>();
    const judge = ({ path, sent, method }: ObservedRequest, { status }: ObservedAnswer) => {
      const { by } = (sent ?? {}) as { readonly by?: unknown };
      const [, user, host] = (typeof by === 'string' ? uri.exec(by) : undefined) ?? [];
      const records = calls.get(call.exec(path)?.[1] ?? '') ?? [];
      if (user === undefined || host === undefined || status >= 300 || records.length === 0) return;
      check();
      if (!records.some((record) => hasParty(record, { user, host })))
        fail(`${method} ${path} is done for ${by}, which is no party of the call`);
    };
    const requests = new ClientRequests(
      (method, path) => method.startsWith('REFER') && call.test(path),
      (request, answer) => {
        if (call.test(request.path)) judge(request, answer);
      },
      () => {},
    );
    return {
      listeners: together(requests.listeners, {
        'published.dialog': ({ from, dialog }) => {
          if (map.instances.get(from)?.role !== 'b2b') return;
          // A command may be judged by what the call was before its last change.
          const [before] = calls.get(dialog.dialogid) ?? [];
          setLast(calls, dialog.dialogid, before === undefined ? [dialog] : [dialog, before], mostKept);
        },
      }),
    };
  },
};

function hasParty(
  { participations, legs, localuri, remoteuri }: DialogRecord,
  { user, host }: Record<'user' | 'host', string>,
) {
  const uris = [...legs.map((leg) => leg.remoteuri), localuri, remoteuri];
  return (
    uris.some((each) => each.replace(/[<>]/g, '') === `sip:${user}@${host}`) ||
    participations.some(
      ({ kind, domain, name, number }) =>
        kind === 'outside' || kind === 'account' || (domain === host && (name === user || number === user)),
    )
  );
}
