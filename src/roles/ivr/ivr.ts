/** The ivr role: starts calls on request, and runs IVR scripts for calls to their numbers. */

import { EntityHost, type Handled } from '../../actors/entity-host.ts';
import type { Handlers, Role, RoleScope } from '../../cluster/role.ts';
import { type AnnouncementCommand, announcementMachine } from '../../machines/call/announcement.ts';
import type { SipRequest } from '../../model/sip/message.ts';
import { StreamSource } from '../../replication/stream-source.ts';
import type { LegReport } from '../../sip/user-agent.ts';
import { PlatformAgent } from '../platform-agent.ts';
import { IvrCalls } from './ivr-calls.ts';
import { IvrEvents } from './ivr-events.ts';
import { type IvrPorts, ScriptCalls } from './script-calls.ts';

export function createIvr(scope: RoleScope, ports: IvrPorts): Role<'ivr'> {
  const server = new IvrServer(scope, ports);
  const { handlers } = server;
  return { handlers, flush: () => server.flush(), drain: () => server.drain(), stop: () => server.stop() };
}

class IvrServer {
  readonly handlers: Handlers<'ivr'>;
  readonly #agent: PlatformAgent;
  readonly #source: StreamSource;
  readonly #calls: IvrCalls;
  readonly #announcements: Announcements;
  readonly #scripts: ScriptCalls;
  #onIdle: (() => void) | undefined;
  #isClosed = false;

  constructor(scope: RoleScope, ports: IvrPorts) {
    const agent = new PlatformAgent(scope, (leg, report) => this.#handle(leg, report));
    const source = new StreamSource(scope);
    const parts = { agent, onEnd: () => this.#checkIdle() };
    const calls = new IvrCalls(scope, parts);
    this.#agent = agent;
    this.#source = source;
    this.#calls = calls;
    this.#announcements = new Announcements(scope, parts);
    this.#scripts = new ScriptCalls(scope, { ...parts, ...ports, events: new IvrEvents(source) });
    this.handlers = {
      sip: (message, { from }) => agent.receive(message, from),
      'ivr.call': (body, { deadlineMs }) => calls.start(body, deadlineMs),
      'call.referred': (body, { from }) => calls.referred(body, from),
      ...this.#scripts.journal,
      ...source.handlers,
    };
  }

  flush(): void {
    this.#source.flush();
  }

  /** Ends all calls and waits for their end; a transfer that has begun continues without ivr. */
  drain(): Promise<void> {
    this.#isClosed = true;
    this.#calls.endAll();
    this.#announcements.endAll();
    this.#scripts.endAll();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      this.#checkIdle();
    });
  }

  stop(): void {
    this.#agent.stop();
    this.#calls.stop();
    this.#announcements.stop();
    this.#scripts.stop();
  }

  #checkIdle(): void {
    if (this.#calls.size === 0 && this.#announcements.size === 0 && this.#scripts.size === 0) this.#onIdle?.();
  }

  #handle(leg: string, report: LegReport): void {
    if (report.type === 'leg.invited') return this.#take(leg, report.request);
    if (report.type === 'leg.referred') return void this.#agent.control(leg, { type: 'refer.refuse', status: 603 });
    if (this.#calls.has(leg)) this.#calls.handle(leg, report);
    else if (this.#scripts.has(leg)) this.#scripts.handle(leg, report);
    else this.#announcements.handle(leg, report);
  }

  /** A leg of a script is not replaceable. */
  #take(leg: string, request: SipRequest): void {
    const { replaces, script } = request;
    if (this.#isClosed) return void this.#agent.control(leg, { type: 'reject', status: 503 });
    if (replaces !== undefined) return void this.#agent.control(leg, { type: 'reject', status: 481 });
    if (script === undefined) this.#announcements.start(leg);
    else this.#scripts.start(leg, request, script);
  }
}

/** Calls to IVR numbers: plays an announcement and counts the keys pressed. */
class Announcements {
  readonly #scope: RoleScope;
  readonly #agent: PlatformAgent;
  readonly #entities: EntityHost<typeof announcementMachine>;

  constructor(scope: RoleScope, { agent, onEnd }: { agent: PlatformAgent; onEnd: () => void }) {
    const { clock, counters, crash } = scope;
    this.#scope = scope;
    this.#agent = agent;
    this.#entities = new EntityHost({
      ...{ machine: announcementMachine, clock, counters, onCrash: crash, onEnd },
      onCommand: (leg, command) => this.#execute(leg, command),
    });
  }

  get size(): number {
    return this.#entities.size;
  }

  /** Answers a new leg, unless there are too many. */
  start(leg: string): void {
    const refusal = this.#entities.start(leg, undefined);
    this.#agent.control(leg, refusal === undefined ? { type: 'answer' } : { type: 'reject', status: 503 });
  }

  /** Handles a report of a leg. */
  handle(leg: string, report: LegReport): void {
    switch (report.type) {
      case 'leg.dtmf':
        return this.#scope.counters.add('ivr.dtmf');
      case 'leg.answered':
        return void this.#entities.send(leg, { type: 'leg.answered' });
      case 'leg.failed':
      case 'leg.cancelled':
      case 'leg.ended':
        return void this.#entities.send(leg, { type: 'leg.gone' });
      default:
        return;
    }
  }

  endAll(): void {
    for (const leg of [...this.#entities.keys()]) this.#entities.send(leg, { type: 'end.requested' });
  }

  stop(): void {
    this.#entities.stopAll();
  }

  #execute(leg: string, command: Handled<AnnouncementCommand>): void {
    switch (command.type) {
      case 'end.leg':
        if (!this.#agent.control(leg, { type: 'end' })) this.#entities.send(leg, { type: 'leg.gone' });
        return;
      case 'drop.leg':
        return void this.#agent.control(leg, { type: 'drop' });
    }
  }
}
