/** The back-to-back user agent: routes calls, forks them, connects their two sides, and publishes their events. */
import type { Handlers, Role, RoleScope } from '../../cluster/role.ts';
import { done, type Outcome } from '../../model/fault.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { SipRequest } from '../../model/sip/message.ts';
import { StreamSource } from '../../replication/stream-source.ts';
import type { Call } from './call.ts';
import { CallControl, originate } from './call-control.ts';
import { Calls } from './calls.ts';
import { executeCommand } from './dialog-executor.ts';
import { receiveReport } from './leg-reports.ts';
import { Registering } from './registering.ts';
import { executeTransfer } from './transfers.ts';

/** Live calls in one answer of `dialog.list`. */
const pageCalls = 200;
/** How long a b2b that drains lets its calls end by themselves, how long it then waits for their ends, and for their records (ms). */
const graceMs = 1_000;
const endMs = 5_000;
const storedMs = 4_000;

export function createB2b(scope: RoleScope): Role<'b2b'> {
  const source = new StreamSource(scope);
  const calls = new Calls(scope, source, {
    onReport: receiveReport,
    onRequest: takeRequest,
    onCommand: executeCommand,
    onTransfer: executeTransfer,
  });
  const control = new CallControl(calls);
  const handlers: Handlers<'b2b'> = {
    ...source.handlers,
    sip: (message, { from }) => calls.agent.receive(message, from),
    'dialog.command': (body) => control.take(body),
    'dialog.originate': ({ request }) => originate(calls, request),
    'dialog.list': (body) => list(calls, source, body),
    'matcher.matched': ({ callid, sample }) => announcementMatched(calls, callid, sample),
  };
  return { handlers, flush: () => source.flush(), drain: () => drain(calls, source), stop: () => calls.stop() };
}

/** A request that belongs to no call. */
function takeRequest({ scope, agent, authentication }: Calls, request: SipRequest): void {
  const respond: typeof agent.respond = (...answer) => agent.respond(...answer);
  if (request.method === 'REGISTER') new Registering({ scope, authentication, respond }).take(request);
  else respond(request, request.method === 'OPTIONS' ? 200 : 481);
}

/**
 * Lets calls end for a moment, then ends them; takes none any more. Waits until their records are written: a callstore that has
 * crashed meanwhile reads their ends here when it has started again.
 */
async function drain(calls: Calls, source: StreamSource): Promise<void> {
  calls.close();
  const hasCalls = calls.size > 0;
  await calls.whenEmpty(graceMs);
  for (const call of [...calls.all()]) calls.send(call, { type: 'end.requested' });
  await calls.whenEmpty(endMs);
  calls.publishDead('the b2b instance stops');
  if (hasCalls) await source.stored(storedMs);
}

/** The leg may be answered or over by now: then nothing is published. */
function announcementMatched(calls: Calls, callid: string, sample: string): void {
  if (!calls.announcements.recognised(callid)) return;
  const { call, fork = 0 } = calls.leg(callid) ?? {};
  const made = call?.forks.get(fork);
  if (call !== undefined && made !== undefined && calls.statusOf(call) === 'forking') {
    calls.events.forkAnnouncement(call, made, sample);
  }
}

function list(calls: Calls, source: StreamSource, { after }: BodyOf<'dialog.list'>): Outcome<ReplyOf<'dialog.list'>> {
  const last = after === undefined ? 0 : Number(after.slice(after.lastIndexOf('-') + 1));
  const page: Call[] = [];
  let next: string | undefined;
  for (const call of calls.all()) {
    if (call.n <= last || !calls.isListed(call)) continue;
    if (page.length === pageCalls) {
      next = page.at(-1)?.dialogid;
      break;
    }
    page.push(call);
  }
  const dialogs = page.map((call) => calls.events.recordOf(call));
  const { epoch } = calls.scope;
  return done({ epoch, upTo: source.last, dialogs, ...(next !== undefined && { next }) });
}
