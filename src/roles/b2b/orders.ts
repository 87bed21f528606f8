/** Carries out what the machine of a call commands. */
import type { DialogCommand, DialogEnd, Said } from '../../machines/dialog-events.ts';
import type { Failure, ForkCall } from '../../machines/dialog-forks.ts';
import type { Side } from '../../model/protocol/dialog.ts';
import { reasonOf } from '../../model/sip/message.ts';
import type { LegControl } from '../../sip/user-agent.ts';
import { type Call, type Fork, legOf, otherSide, type Refusal, seat } from './call.ts';
import { findContacts, findRoutes } from './callees.ts';
import { inviteFor } from './fork-invite.ts';
import { notify, type Parts } from './parts.ts';
import { answeredWith, recordByRules } from './recording.ts';
import { callerBy, type Route, seatOf } from './routes.ts';
import { announce, passRefer } from './transfers.ts';

/** Where nothing says how the caller is refused. */
const forbidden: Refusal = { status: 403, reason: reasonOf(403) };

export class DialogCommands {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  execute(call: Call, command: DialogCommand): void {
    const { events } = this.#parts;
    switch (command.type) {
      case 'find.routes':
        return findRoutes(this.#parts, call, command.side);
      case 'refuse.caller':
        return this.#refuse(call);
      case 'tell.init':
        return events.init(call);
      case 'call.forks':
        return this.#callForks(call, command.side, command.forks);
      case 'stop.fork':
        return this.#stopFork(call, command.fork, command.failure);
      case 'cancel.forks':
        return this.#cancelForks(call, command.forks, command.failure);
      case 'find.contacts':
        return this.#redirect(call, command.fork);
      case 'ring.caller':
        return this.#ring(call, command.status);
      case 'take.caller':
        return this.#takeCaller(call, command.fork);
      case 'connect':
        return this.#connect(call, command.fork);
      case 'pass.on':
        return this.#passOn(call, command.to, command.said);
      case 'refuse.refer':
        return this.#tellLeg(legOf(call, command.side), { type: 'refer.refuse', status: command.status });
      case 'end.legs':
        return this.#endLegs(call, command.end);
      case 'tell.end':
        return this.#end(call, command.end);
      case 'tell.gone':
        return events.gone(call);
      case 'tell.stop':
        return events.stop(call, command.end);
      case 'event.unexpected':
        return;
    }
  }

  #refuse(call: Call): void {
    const { status, reason, challenge, isCredentialsWrong } = call.refusal ?? forbidden;
    this.#tellLeg(call.a, { type: 'reject', status, reason, challenge, isCredentialsWrong });
  }

  #callForks(call: Call, side: Side, forks: readonly ForkCall[]): void {
    const { scope, calls, agent, events } = this.#parts;
    if (side === 'b') call.status = 'forking';
    for (const { fork, key } of forks) {
      const route = call.routes.get(key);
      if (route === undefined) throw new Error(`${call.dialogid} has no route "${key}"`);
      // The Call-Id of X is that of the call, until another of its devices answers.
      const leg = side === 'a' && fork === 1 ? call.acallid : newCallid(this.#parts);
      const untilMs = Math.floor(scope.clock.now()) + route.ringMs;
      if (side === 'b') call.called = leg;
      const made: Fork = { fork, side, leg, route, untilMs, media: undefined, contacts: [] };
      call.forks.set(fork, made);
      calls.addLeg(leg, { call, side, fork, hop: route.hop });
      events.forkStart(call, made);
      agent.call(inviteFor(call, made));
    }
  }

  #stopFork(call: Call, number: number, failure: Failure): void {
    this.#parts.events.forkStop(call, takeFork(call, number), failure);
  }

  #cancelForks(call: Call, numbers: readonly number[], failure: Failure): void {
    const { reason } = failure;
    for (const number of numbers) {
      const fork = takeFork(call, number);
      this.#parts.events.forkStop(call, fork, failure);
      this.#tellLeg(fork.leg, { type: 'end', reason });
    }
  }

  #redirect(call: Call, number: number): void {
    const fork = takeFork(call, number);
    this.#parts.events.forkRedirect(call, fork);
    findContacts(this.#parts, call, fork);
  }

  #ring(call: Call, status: number): void {
    if (call.order === undefined) this.#tellLeg(call.a, { type: 'ring', status });
  }

  #takeCaller(call: Call, number: number): void {
    const { leg, route } = takeFork(call, number);
    call.a = leg;
    call.acallid = leg;
    call.from = callerBy(route);
    if (route.party !== undefined) seat(call, seatOf('a', route.party));
    if (route.room !== undefined) this.#seatRoom(call, route);
    this.#parts.events.changed(call);
    notify(call, { type: 'caller.taken' });
  }

  /** That X is a conference must be known before Y is called; which one it is is told later. */
  #seatRoom(call: Call, route: Route): void {
    const { domain, room = '', number } = route;
    seat(call, { side: 'a', kind: 'conference', domain, name: room, number });
    this.#nameConference(call, 'a', route);
  }

  #connect(call: Call, number: number): void {
    const { scope, events } = this.#parts;
    const fork = call.forks.get(number);
    if (fork === undefined) throw new Error(`${call.dialogid} has no fork ${number}`);
    const { leg, route, media } = fork;
    call.b = leg;
    call.status = 'dialog';
    call.answerts = Math.floor(scope.clock.now());
    if (route.party !== undefined) seat(call, seatOf('b', route.party));
    answeredWith(call, media);
    recordByRules(call, route);
    if (call.order === undefined) this.#tellLeg(call.a, { type: 'answer', ...(media !== undefined && { media }) });
    events.start(call, fork);
    notify(call, { type: 'callee.responded', status: 200, reason: reasonOf(200), callid: leg });
    if (route.room !== undefined) this.#nameConference(call, 'b', route);
  }

  /** Which conference a room has come to be, its instance tells once it has answered. */
  #nameConference(call: Call, side: Side, { hop, domain, room = '', number }: Route): void {
    const { scope, events } = this.#parts;
    scope.ask(hop, 'conference.find', { domain, number }).then((found) => {
      if (call.isGone) return;
      const name = (found.ok ? found.value.confid : null) ?? room;
      seat(call, { side, kind: 'conference', domain, name, number });
      events.changed(call);
    }, scope.crash);
  }

  #passOn(call: Call, to: Side, said: Said): void {
    const leg = legOf(call, to);
    switch (said.what) {
      case 'media':
        return this.#tellLeg(leg, { type: 'offer', media: said.media });
      case 'dtmf':
        return this.#tellLeg(leg, { type: 'dtmf', dtmf: said.dtmf });
      case 'notify': {
        const { event, sipfrag } = said;
        return this.#tellLeg(leg, { type: 'notify', event, ...(sipfrag !== undefined && { sipfrag }) });
      }
      case 'refer':
        return passRefer(this.#parts, call, { by: otherSide(to), ...said });
    }
  }

  #endLegs(call: Call, { status, reason }: DialogEnd): void {
    const { calls, tell } = this.#parts;
    const because = { ...(status >= 300 && { status }), reason };
    for (const leg of [...call.legs]) {
      if (!this.#parts.agent.tell(leg, { type: 'end', ...because })) calls.removeLeg(leg);
    }
    if (call.legs.size === 0) tell(call, { type: 'legs.gone' });
  }

  #end(call: Call, end: DialogEnd): void {
    const { events, trunks } = this.#parts;
    announce(this.#parts, call);
    call.status = 'ending';
    events.end(call, end);
    trunks.release(call.dialogid);
    notify(call, { type: 'over', end });
    call.listeners.length = 0;
  }

  #tellLeg(leg: string | undefined, command: LegControl): void {
    if (leg !== undefined) this.#parts.agent.tell(leg, command);
  }
}

/** Takes a fork out of those that are shown. */
function takeFork({ forks, dialogid }: Call, number: number): Fork {
  const fork = forks.get(number);
  if (fork === undefined) throw new Error(`${dialogid} has no fork ${number}`);
  forks.delete(number);
  return fork;
}

function newCallid({ scope }: Parts): string {
  return Buffer.from(scope.random.stream('ids').bytes(12)).toString('hex');
}
