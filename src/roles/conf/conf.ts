/** The conference server: calls that come to its rooms and that go out from them, and the commands of mware. */

import { unreachableFault } from '../../cluster/messaging/ask-in-order.ts';
import type { Handlers, Role, RoleScope } from '../../cluster/role.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import { destinationUri } from '../../model/numbers/destination.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { ConferenceRecord } from '../../model/protocol/messages/conference.ts';
import { type ReferredBy, type Replaces, statusLine } from '../../model/sip/message.ts';
import { bracketed, sipUri } from '../../model/sip/uri.ts';
import { StreamSource } from '../../replication/stream-source.ts';
import type { LegReport } from '../../sip/user-agent.ts';
import { Pieces } from '../pieces.ts';
import { PlatformAgent } from '../platform-agent.ts';
import { Arrivals } from './arrivals.ts';
import type { Conference, Participant, Referrer } from './conference.ts';
import { ConferenceEvents } from './conference-events.ts';
import { Conferences } from './conferences.ts';

export function createConf(scope: RoleScope): Role<'conf'> {
  const server = new ConferenceServer(scope);
  return {
    handlers: server.handlers,
    flush: () => server.tellEvents(),
    drain: () => server.drain(),
    stop: () => server.stop(),
  };
}

/** A call of a conference, and the participant that it is for. */
interface Invitation {
  readonly uri: string;
  readonly referrer?: Referrer;
  readonly member?: string | undefined;
  readonly referredBy?: ReferredBy | undefined;
  readonly replaces?: Replaces | undefined;
}

type Referral = Extract<LegReport, { type: 'leg.referred' }>;

class ConferenceServer {
  readonly #scope: RoleScope;
  readonly #source: StreamSource;
  readonly #pieces: Pieces<ConferenceRecord>;
  readonly #agent: PlatformAgent;
  readonly #conferences: Conferences;
  readonly #arrivals: Arrivals;
  #onIdle: (() => void) | undefined;

  constructor(scope: RoleScope) {
    this.#scope = scope;
    this.#source = new StreamSource(scope);
    this.#pieces = new Pieces(scope);
    this.#agent = new PlatformAgent(scope, (leg, report) => this.#receive(leg, report));
    this.#conferences = new Conferences({
      scope,
      agent: this.#agent,
      events: new ConferenceEvents(this.#source),
      onStopped: () => this.#checkIdle(),
    });
    this.#arrivals = new Arrivals(scope, this.#agent, this.#conferences);
  }

  get handlers(): Handlers<'conf'> {
    const conferences = this.#conferences;
    return {
      ...this.#source.handlers,
      sip: (message, { from }) => this.#agent.receive(message, from),
      'conference.list': ({ domain, confid, brief = false }) => {
        const which = confid === undefined ? {} : { confid };
        const { items, ...rest } = this.#pieces.first(conferences.records(domain, { ...which, isBrief: brief }));
        return done({
          conferences: items,
          ...rest,
          ...(conferences.ended && { ended: conferences.ended }),
          nowMs: this.#scope.clock.now(),
        });
      },
      'conference.rest': ({ rest }) => this.#pieces.answerNext(rest),
      'conference.find': (question, { from }) => {
        const home = this.#arrivals.find(question, from);
        return home instanceof Promise ? home.then(done) : done(home);
      },
      'conference.create': ({ domain, meeting: asked }) => {
        const meeting = asked && { id: asked[0], ct: asked[1] };
        const there = meeting === undefined ? undefined : conferences.ofMeeting(domain, meeting);
        const conference = there ?? conferences.create(domain, undefined, meeting);
        if (conference === undefined) return failed(fault('overloaded', `${limits.conferences} conferences are here`));
        return done({ confid: conference.confid, uri: conference.uri });
      },
      'conference.end': ({ confid, keepsMeeting = false }) =>
        this.#with(confid, (conference) => {
          conference.keepsMeeting = keepsMeeting;
          conferences.end(conference, { type: 'conf_terminate', reason: 'ended by command', by: 'api' });
          return done({});
        }),
      'conference.call': ({ confid, invitations }) =>
        this.#with(confid, (conference) => this.#callAll(conference, invitations)),
      'conference.remove': ({ confid, participantid }) =>
        this.#with(confid, (conference) => {
          const participant = conference.participants.get(participantid);
          if (participant === undefined) return failed(fault('not_found', `no participant ${participantid}`));
          conferences.remove(participant);
          return done({});
        }),
      'conference.hears': ({ confid, hears, file, seats }) =>
        this.#with(confid, (conference) => {
          if (seats !== undefined) forgetOthers(conference, seats);
          const participants = conferences.listeners(conference);
          const wrong = hears === undefined ? undefined : conference.audioMatrix.change(hears, participants);
          if (wrong !== undefined) return failed(fault('invalid', wrong));
          if (file !== undefined) conference.playback.file = file;
          conferences.refreshPlayback(conference);
          return done({ hears: conference.audioMatrix.of(participants) });
        }),
    };
  }

  tellEvents(): void {
    this.#source.flush();
  }

  /** Ends all conferences and waits until their conf_stop is sent. */
  drain(): Promise<void> {
    this.#arrivals.close();
    this.#conferences.endAll({ type: 'conf_terminate', reason: 'the server stops', by: 'platform' });
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      this.#checkIdle();
    });
  }

  stop(): void {
    this.#arrivals.close();
    this.#agent.stop();
    this.#conferences.stop();
  }

  /** The last events still have to be sent. */
  #checkIdle(): void {
    const { clock } = this.#scope;
    if (this.#onIdle !== undefined && this.#conferences.size === 0) clock.setTimer(0, this.#onIdle);
  }

  #with<T>(confid: string, work: (conference: Conference) => Outcome<T>): Outcome<T> {
    const conference = this.#conferences.get(confid);
    return conference === undefined ? failed(fault('not_found', `no conference ${confid}`)) : work(conference);
  }

  #receive(leg: string, report: LegReport): void {
    if (report.type === 'leg.invited') return this.#arrivals.take(leg, report.request);
    const participant = this.#conferences.byLeg(leg);
    if (participant === undefined) return;
    if (report.type === 'leg.referred') return this.#refer(participant, report);
    this.#conferences.receive(participant, report);
  }

  #callAll(
    conference: Conference,
    invitations: BodyOf<'conference.call'>['invitations'],
  ): Outcome<ReplyOf<'conference.call'>> {
    const outcomes = invitations.map(([to, member]) => this.#call(conference, to, member ?? undefined));
    const participantids = outcomes.flatMap((each) => (each.ok ? [each.value.participantid] : []));
    const refused = participantids.length > 0 ? undefined : outcomes.find((each) => !each.ok);
    return refused ?? done({ participantids });
  }

  /** A participant of a meeting is called once: an mware that was suspended may ask after its successor. */
  #call(conference: Conference, to: string, member?: string): Outcome<{ participantid: string }> {
    const known = member === undefined ? undefined : participantFor(conference, member);
    if (known !== undefined) return done({ participantid: known.participantid });
    return this.#invite(conference, { uri: destinationUri(conference.domain, to), member });
  }

  #invite(conference: Conference, { uri, referrer, member, ...more }: Invitation): Outcome<{ participantid: string }> {
    const { domain, confid, number } = conference;
    if (!this.#conferences.takesParticipants(conference))
      return failed(fault('conflict', `conference ${confid} is ending`));
    if (conference.participants.size >= limits.participants) {
      return failed(fault('overloaded', `conference ${confid} has ${limits.participants} participants`));
    }
    const hop = this.#agent.hopFor(domain, uri);
    if (hop === undefined) return failed(unreachableFault('b2b', this.#scope.instance.site));
    const leg = this.#agent.newLeg();
    const arrival = { leg, isOutgoing: true, ruri: bracketed(uri), referrer, member };
    const { participantid } = this.#conferences.join(conference, arrival);
    const { referredBy, replaces } = more;
    this.#agent.call({
      ...{ callid: leg, uri, from: { uri: sipUri(number, domain) }, to: { uri }, hop, domain, confid },
      ...(referredBy !== undefined && { referredBy }),
      ...(replaces !== undefined && { replaces }),
    });
    return done({ participantid });
  }

  /** A conference that is referred calls the target in; the participant that referred it may then leave. (chosen) */
  #refer({ leg, conference }: Participant, { id, referTo, referredBy }: Referral): void {
    const invitation = { uri: referTo.uri, referrer: { leg, id }, referredBy, replaces: referTo.replaces };
    const invited = this.#invite(conference, invitation);
    if (!invited.ok) return void this.#agent.control(leg, { type: 'refer.refuse', status: 503 });
    this.#agent.control(leg, { type: 'refer.accept' });
    // The target may never react; the sender of the REFER is notified at once that it is called (RFC 3515, 2.4.4).
    this.#agent.control(leg, {
      type: 'notify',
      event: 'refer',
      id,
      sipfrag: statusLine({ status: 100, reason: 'Trying' }),
    });
  }
}

/** A participant that the meeting gets again is called again. */
function forgetOthers({ called }: Conference, seats: readonly string[]): void {
  for (const member of called.keys()) if (!seats.includes(member)) called.delete(member);
}

function participantFor({ participants }: Conference, member: string): Participant | undefined {
  return [...participants.values()].find((each) => each.member === member);
}
