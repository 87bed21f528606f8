/**
 * The mware role: serves the front's requests about calls, conferences and call records. It keeps nothing: what it tells
 * it has asked of callstore and conf at that moment, and what it is told to do b2b, ivr and conf do.
 */
import type { Envelope } from '../../model/envelope.ts';
import { done, type Outcome } from '../../model/fault.ts';
import { conferenceOf } from '../../model/shapes/conference.ts';
import type { Role, RoleScope } from '../../runtime/role.ts';
import { startCall } from './calling.ts';
import { Callstores } from './callstores.ts';
import { Commands } from './commands.ts';
import { Conferences } from './conferences.ts';
import { type Errand, errandOf } from './errand.ts';
import { Pages } from './listing.ts';
import { Lookups } from './lookups.ts';
import { Matcher } from './matcher.ts';
import { Meetings } from './meetings.ts';
import { Recordings } from './recordings.ts';

export function createMware(scope: RoleScope): Role<'mware'> {
  const { requestDeadlineMs } = scope.map.topology.timings;
  const pages = new Pages(scope);
  const stores = new Callstores(scope);
  const lookups = new Lookups(scope, stores, pages);
  const recordings = new Recordings(scope, stores);
  const conferences = new Conferences({ scope, lookups, pages });
  const commands = new Commands({ scope, lookups, conferences });
  const matcher = new Matcher(scope);

  const meetings = new Meetings(scope);
  const open = new Set<Promise<unknown>>();

  /** A handler that works on an errand. */
  function errands<B extends { domain: string; iduser?: string | undefined }, R>(
    work: (errand: Errand, body: B) => Promise<Outcome<R>>,
  ) {
    const run = async (body: B, envelope: Envelope): Promise<Outcome<R>> => {
      const errand = await errandOf(scope, body, envelope);
      return errand.ok ? work(errand.value, body) : errand;
    };
    return (body: B, envelope: Envelope): Promise<Outcome<R>> => {
      const running = run(body, envelope);
      const finish = () => open.delete(running);
      open.add(running);
      running.then(finish, finish);
      return running;
    };
  }

  return {
    handlers: {
      'mware.calls': errands((errand, { params }) => lookups.calls(errand, params)),
      'mware.call': errands(async (errand, { dialogid }) => {
        const live = await lookups.call(errand, dialogid);
        return live.ok ? done({ dialog: live.value.dialog }) : live;
      }),
      'mware.calls.find': errands(async (errand, { search }) => {
        const found = await lookups.find(errand, search);
        if (!found.ok) return found;
        const { records, missing } = found.value;
        return done({ ids: records.map(({ dialogid }) => dialogid), missing: [...missing] });
      }),
      'mware.call.start': errands((errand, body) => startCall(scope, errand, body)),
      'mware.call.command': errands((errand, { dialogid, command }) => commands.run(errand, dialogid, command)),
      'mware.conferences': errands((errand, { params }) => conferences.list(errand, params)),
      'mware.conference': errands(async (errand, { confid }) => {
        const found = await conferences.one(errand, confid);
        return found.ok ? done({ item: { ...conferenceOf(found.value) } }) : found;
      }),
      'mware.conferences.find': errands(async (errand, { search }) => {
        const found = await conferences.find(errand, search);
        return found.ok ? done({ ids: found.value.ids, missing: [...found.value.missing] }) : found;
      }),
      'mware.participants': errands((errand, { confid, params }) => conferences.participants(errand, confid, params)),
      'mware.participant': errands((errand, { confid, participantid }) =>
        conferences.participant(errand, confid, participantid),
      ),
      'mware.conference.command': errands((errand, { confid, command }) =>
        conferences.command(errand, confid, command),
      ),
      'mware.records': errands((errand, { params }) => lookups.records(errand, params)),
      'mware.record': errands(async (errand, { inviteid }) => {
        const record = await lookups.record(errand, inviteid);
        return record.ok ? done({ item: { ...record.value } }) : record;
      }),
      'mware.recordings': errands((errand, { inviteid }) => recordings.list(errand, inviteid)),
      'mware.recordings.delete': errands((errand, { inviteid, name }) => recordings.delete(errand, inviteid, name)),
      'mware.meetings': errands((errand) => meetings.running(errand)),
      'mware.meetings.changed': ({ domain }) => meetings.lookSoon(domain),
      'mware.rest': ({ name }) => pages.next(name),
      ...matcher.handlers,
    },
    serve: () => meetings.start(),
    standBy: () => meetings.stop(),
    /** Finishes what it is at, but does not wait for parties to answer. */
    drain: async () => {
      const patience = new Promise((resolve) => scope.clock.setTimer(requestDeadlineMs, () => resolve(undefined)));
      await Promise.race([Promise.allSettled(open), patience]);
    },
    stop: () => {
      meetings.stop();
      matcher.stop();
    },
  };
}
