import { EntityHost } from '../../actors/entity-host.ts';
import type { Role, RoleScope } from '../../cluster/role.ts';
import { type MatcherCommand, matcherMachine } from '../../machines/matcher.ts';
import type { Envelope } from '../../model/envelope.ts';
import { done, type Outcome } from '../../model/fault.ts';
import type { ReplyOf } from '../../model/protocol/catalogue.ts';
import { conferenceOf } from '../../model/shapes/calls.ts';
import { CallCommands } from './call-commands.ts';
import { Callstores, Pages } from './callstores.ts';
import { ConferenceRequests } from './conferences.ts';
import { Lookups } from './lookups.ts';
import { Meetings } from './meetings.ts';
import { RecordingRequests } from './recordings.ts';
import { type RequestContext, requestContext, startCall } from './request-context.ts';

/** The audio matcher of a mware instance: media are not simulated, so it is its life and what it tells of it. */

/** There is one in each instance. */
const key = 'matcher';

export class Matcher {
  readonly #scope: RoleScope;
  readonly #host: EntityHost<typeof matcherMachine>;

  constructor(scope: RoleScope) {
    const { clock, counters, crash } = scope;
    this.#scope = scope;
    const onCommand = (_: string, command: MatcherCommand) => this.#execute(command);
    this.#host = new EntityHost({ machine: matcherMachine, clock, counters, onCommand, onCrash: crash });
  }

  readonly handlers = {
    'matcher.reload': (): Outcome<ReplyOf<'matcher.reload'>> => {
      const { loadMs, fails } = this.#scope.map.topology.matcher;
      if (!this.#host.has(key)) this.#host.start(key, { loadMs, fails });
      this.#host.send(key, { type: 'reload.requested' });
      return done({});
    },
    'matcher.status': (): Outcome<ReplyOf<'matcher.status'>> => {
      const { samplesDir } = this.#scope.map.topology.matcher;
      const found = this.#host.snapshot(key);
      const isLoading = found?.value === 'loading';
      return done({
        is_loaded: found?.value === 'loaded',
        is_reload_needed: found?.value === 'failed',
        samples_dir: samplesDir,
        jobs_count: isLoading ? 1 + Number(found.context.isAgainWanted) : 0,
      });
    },
  };

  stop(): void {
    this.#host.stopAll();
  }

  #execute({ type }: MatcherCommand): void {
    const { samplesDir } = this.#scope.map.topology.matcher;
    if (type === 'samples.failed') this.#scope.log.write('warn', 'matcher.failed', { samplesDir });
    else this.#scope.log.write('info', 'matcher.loaded', { samplesDir });
  }
}

/**
 * The mware role: serves the front's requests about calls, conferences and call records. It keeps nothing: what it tells
 * it has asked of callstore and conf at that moment, and what it is told to do b2b, ivr and conf do.
 */

export function createMware(scope: RoleScope): Role<'mware'> {
  const { requestDeadlineMs } = scope.map.topology.timings;
  const pages = new Pages(scope);
  const stores = new Callstores(scope);
  const lookups = new Lookups(scope, stores, pages);
  const recordings = new RecordingRequests(scope, stores);
  const conferences = new ConferenceRequests({ scope, lookups, pages });
  const commands = new CallCommands({ scope, lookups, conferences });
  const matcher = new Matcher(scope);

  const meetings = new Meetings(scope);
  const open = new Set<Promise<unknown>>();

  /** A handler that works on an errand. */
  function errands<B extends { domain: string; iduser?: string | undefined }, R>(
    work: (errand: RequestContext, body: B) => Promise<Outcome<R>>,
  ) {
    const run = async (body: B, envelope: Envelope): Promise<Outcome<R>> => {
      const errand = await requestContext(scope, body, envelope);
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
