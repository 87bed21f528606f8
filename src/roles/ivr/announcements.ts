/** Calls to IVR numbers: plays an announcement and counts the keys pressed. */

import { EntityHost } from '../../actors/entity-host.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { type AnnouncementCommand, announcementMachine } from '../../machines/call/announcement.ts';
import type { LegReport } from '../../sip/user-agent.ts';
import type { PlatformAgent } from '../platform-agent.ts';

export class Announcements {
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

  #execute(leg: string, command: AnnouncementCommand): void {
    switch (command.type) {
      case 'end.leg':
        if (!this.#agent.control(leg, { type: 'end' })) this.#entities.send(leg, { type: 'leg.gone' });
        return;
      case 'drop.leg':
        return void this.#agent.control(leg, { type: 'drop' });
      case 'event.unexpected':
        return;
    }
  }
}
