/**
 * The mware role: serves the front's requests about calls, conferences and call records. It is stateless: it reads from
 * callstore and conf, and its commands are executed by b2b, ivr and conf. Only runs of service scripts are stored.
 */
import type { Role, RoleScope } from '../../cluster/role.ts';
import type { Envelope } from '../../model/cluster/envelope.ts';
import { done, type Outcome } from '../../model/fault.ts';
import { conferenceOf } from '../../model/shapes/call-shapes.ts';
import type { SampleFolder } from '../../ports/samples.ts';
import { AnnouncementMatcher } from './audio-matcher.ts';
import { CallCommands } from './call-commands.ts';
import { Callstores, ListPages } from './callstores.ts';
import { ConferenceRequests } from './conference-requests.ts';
import { Lookups } from './lookups.ts';
import { Meetings } from './meetings/meeting-runner.ts';
import { Operations } from './operation-executor.ts';
import { RecordingRequests } from './recordings.ts';
import { type RequestContext, requestContext, startCall } from './request-context.ts';
import { type ScriptPorts, ServiceScripts } from './service-scripts.ts';

export interface MwarePorts extends ScriptPorts {
  readonly samples: SampleFolder;
}

export function createMware(scope: RoleScope, ports: MwarePorts): Role<'mware'> {
  const { requestDeadlineMs } = scope.map.topology.timings;
  const pages = new ListPages(scope);
  const stores = new Callstores(scope);
  const lookups = new Lookups(scope, stores, pages);
  const recordings = new RecordingRequests(scope, stores);
  const conferences = new ConferenceRequests({ scope, lookups, pages });
  const commands = new CallCommands({ scope, lookups, conferences });
  const matcher = new AnnouncementMatcher(scope, ports.samples);

  const meetings = new Meetings(scope);
  const operations = new Operations({ scope, lookups, conferences, commands, meetings });
  const scripts = new ServiceScripts({ scope, ...ports, operation: operations.handler });
  const open = new Set<Promise<unknown>>();

  /** A handler with the context of its request. */
  function withContext<B extends { domain: string; iduser?: string | undefined }, R>(
    work: (context: RequestContext, body: B) => Promise<Outcome<R>>,
  ) {
    const run = async (body: B, envelope: Envelope): Promise<Outcome<R>> => {
      const context = await requestContext(scope, body, envelope);
      return context.ok ? work(context.value, body) : context;
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
      'mware.calls': withContext((context, { params }) => lookups.calls(context, params)),
      'mware.call': withContext(async (context, { dialogid }) => {
        const live = await lookups.call(context, dialogid);
        return live.ok ? done({ dialog: live.value.dialog }) : live;
      }),
      'mware.calls.find': withContext(async (context, { search }) => {
        const found = await lookups.find(context, search);
        if (!found.ok) return found;
        const { records, missing } = found.value;
        return done({ ids: records.map(({ dialogid }) => dialogid), missing: [...missing] });
      }),
      'mware.call.start': withContext((context, body) => startCall(scope, context, body)),
      'mware.call.command': withContext((context, { dialogid, command }) => commands.run(context, dialogid, command)),
      'mware.conferences': withContext((context, { params }) => conferences.list(context, params)),
      'mware.conference': withContext(async (context, { confid }) => {
        const found = await conferences.one(context, confid);
        return found.ok ? done({ item: { ...conferenceOf(found.value) } }) : found;
      }),
      'mware.conferences.find': withContext(async (context, { search }) => {
        const found = await conferences.find(context, search);
        return found.ok ? done({ ids: found.value.ids, missing: [...found.value.missing] }) : found;
      }),
      'mware.participants': withContext((context, { confid, params }) =>
        conferences.participants(context, confid, params),
      ),
      'mware.participant': withContext((context, { confid, participantid }) =>
        conferences.participant(context, confid, participantid),
      ),
      'mware.conference.command': withContext((context, { confid, command }) =>
        conferences.command(context, confid, command),
      ),
      'mware.records': withContext((context, { params }) => lookups.records(context, params)),
      'mware.record': withContext(async (context, { inviteid }) => {
        const record = await lookups.record(context, inviteid);
        return record.ok ? done({ item: { ...record.value } }) : record;
      }),
      'mware.recordings': withContext((context, { inviteid }) => recordings.list(context, inviteid)),
      'mware.recordings.delete': withContext((context, { inviteid, name }) =>
        recordings.delete(context, inviteid, name),
      ),
      'mware.meetings': withContext((context) => meetings.running(context)),
      'mware.meetings.changed': ({ domain, ended }) =>
        ended === undefined ? meetings.checkSoon(domain) : meetings.noteEnd(domain, ended),
      'mware.rest': ({ name }) => pages.next(name),
      ...matcher.handlers,
      'script.operation': async (call) => done(await operations.handler(call)),
      ...scripts.handlers,
      ...scripts.journal,
    },
    serve: () => {
      meetings.start();
      scripts.serve();
    },
    standBy: () => {
      meetings.stop();
      scripts.stop();
    },
    /** Finishes requests under way, but does not wait for parties to answer. */
    drain: async () => {
      const deadline = new Promise((resolve) => scope.clock.setTimer(requestDeadlineMs, () => resolve(undefined)));
      await Promise.race([Promise.allSettled(open), deadline]);
    },
    stop: () => {
      meetings.stop();
      matcher.stop();
      scripts.stop();
    },
  };
}
