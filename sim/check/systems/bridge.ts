/**
 * A minimal b2b: the machine of the call between the reports of its two legs and the commands to them. Routing answers
 * at once, with one callee.
 */
import { type Actor, createActor } from 'xstate';
import { actorClock } from '../../../src/actors/actor-logic.ts';
import { Mailbox } from '../../../src/actors/mailbox.ts';
import { dialogMachine } from '../../../src/machines/call/dialog.ts';
import type { DialogCommand, DialogEvent } from '../../../src/machines/call/dialog-events.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { LegReport, OutgoingCall, UserAgent } from '../../../src/sip/user-agent.ts';

export const calleeLeg = 'leg-b';

const toCallee: OutgoingCall = {
  uri: 'sip:1002@b',
  from: { uri: 'sip:1001@acme.root.test' },
  to: { uri: 'sip:1002@acme.root.test' },
  hop: 'b',
  callid: calleeLeg,
};

export class Bridge {
  readonly #agent: () => UserAgent;
  readonly #clock: Clock;
  readonly #events: Mailbox<DialogEvent>;
  /** Every command, by its type. */
  readonly commands: string[] = [];
  #dialog: Actor<typeof dialogMachine> | undefined;
  #caller: string | undefined;
  #callee: string | undefined;
  /** Called forks. */
  readonly #forks = new Map<number, string>();
  readonly #legs = new Set<string>();

  constructor(clock: Clock, agent: () => UserAgent) {
    this.#agent = agent;
    this.#clock = clock;
    this.#events = new Mailbox((event) => this.#dialog?.send(event));
  }

  /** State of the call; `none` before it. */
  get state(): string {
    const value = this.#dialog?.getSnapshot().value;
    return value === undefined ? 'none' : typeof value === 'string' ? value : `over.${value.over}`;
  }

  /** Its context as text. */
  get key(): string {
    const context = this.#dialog?.getSnapshot().context;
    return JSON.stringify([this.state, context, this.#caller, this.#callee, [...this.#forks], [...this.#legs]]);
  }

  hear(leg: string, report: LegReport): void {
    if (report.type === 'leg.invited') return this.#begin(leg);
    const fork = [...this.#forks].find(([, each]) => each === leg)?.[0];
    switch (report.type) {
      case 'leg.rang':
        if (fork !== undefined) this.#send({ type: 'fork.rang', fork, status: report.status });
        return;
      case 'leg.answered':
        if (fork !== undefined) this.#send({ type: 'fork.answered', fork, talkMs: 60_000 });
        return;
      case 'leg.cancelled':
        return this.#over(leg, { type: 'caller.cancelled' });
      case 'leg.failed': {
        const failure = { status: report.status, reason: report.reason };
        return this.#over(leg, fork === undefined ? undefined : { type: 'fork.refused', fork, failure });
      }
      case 'leg.ended': {
        const side = leg === this.#caller ? 'a' : leg === this.#callee ? 'b' : undefined;
        const isLost = report.by === 'lost';
        return this.#over(leg, side === undefined ? undefined : { type: 'party.left', side, isLost });
      }
      case 'leg.media.changed': {
        const side = leg === this.#caller ? 'a' : 'b';
        return this.#send({ type: 'party.said', side, said: { what: 'media', media: report.media } });
      }
      default:
        return;
    }
  }

  #begin(leg: string): void {
    this.#caller = leg;
    this.#legs.add(leg);
    const input = { isOriginated: false, isProven: true };
    this.#dialog = createActor(dialogMachine, { clock: actorClock(this.#clock), input });
    this.#dialog.on('*', (command) => this.#execute(command));
    this.#dialog.start();
  }

  #send(event: DialogEvent): void {
    this.#events.put(event);
  }

  #over(leg: string, event: DialogEvent | undefined): void {
    this.#legs.delete(leg);
    if (event !== undefined) this.#send(event);
    if (this.#legs.size === 0) this.#send({ type: 'legs.gone' });
  }

  #execute(command: DialogCommand): void {
    this.commands.push(command.type);
    const agent = this.#agent();
    const control = (leg: string | undefined, command: Parameters<UserAgent['control']>[1]) =>
      leg !== undefined && agent.control(leg, command);
    switch (command.type) {
      case 'find.routes': {
        const groups = [[{ key: 'callee', ringMs: 30_000 }]];
        return this.#send({ type: 'routes.found', groups });
      }
      case 'call.forks':
        for (const { fork } of command.forks) this.#forks.set(fork, calleeLeg);
        this.#legs.add(calleeLeg);
        return void agent.call(toCallee);
      case 'stop.fork':
        return void this.#forks.delete(command.fork);
      case 'cancel.forks':
        for (const fork of command.forks) {
          control(this.#forks.get(fork), { type: 'end' });
          this.#forks.delete(fork);
        }
        return;
      case 'ring.caller':
        return void control(this.#caller, { type: 'ring', status: command.status });
      case 'connect':
        this.#callee = this.#forks.get(command.fork);
        return void control(this.#caller, { type: 'answer' });
      case 'pass.on': {
        const leg = command.to === 'a' ? this.#caller : this.#callee;
        if (command.said.what === 'media') control(leg, { type: 'offer', media: command.said.media });
        return;
      }
      case 'end.legs': {
        const { status, reason } = command.end;
        for (const leg of [...this.#legs]) {
          if (!control(leg, { type: 'end', ...(status >= 300 && { status }), reason })) this.#legs.delete(leg);
        }
        if (this.#legs.size === 0) this.#send({ type: 'legs.gone' });
        return;
      }
      default:
        return;
    }
  }
}
