/** Roles that a test plays: a b2b whose calls begin, change and end as the test says, with their events. */

import type { Role, RoleScope } from '../../../src/cluster/role.ts';
import { done } from '../../../src/model/fault.ts';
import type { DialogRecord, DialogStatus, Participation } from '../../../src/model/protocol/messages/dialog.ts';
import type { PlatformEvent } from '../../../src/model/protocol/messages/stream.ts';
import { namedUuid } from '../../../src/model/uuid.ts';
import { StreamSource } from '../../../src/replication/stream-source.ts';

export const acme = 'acme.root.test';
export const globex = 'globex.root.test';

export interface CallText {
  readonly inviteid?: string;
  readonly domain?: string;
  /** Logins of both sides; their numbers are the same. */
  readonly from?: string;
  readonly to?: string;
}

/** A live call as b2b publishes it. */
export function callRecord(dialogid: string, more: Partial<DialogRecord> & CallText = {}): DialogRecord {
  const { domain = acme, from = '1001', to = '1002', inviteid = `i-${dialogid}`, ...rest } = more;
  const [caller, callee] = [`<sip:${from}@${domain}>`, `<sip:${to}@${domain}>`];
  return {
    dialogid,
    inviteid,
    acallid: `a-${dialogid}`,
    esgdlg: '',
    status: 'init',
    legs: [
      { callid: `a-${dialogid}`, side: 'a', localuri: callee, remoteuri: caller },
      { callid: `b-${dialogid}`, side: 'b', localuri: caller, remoteuri: callee },
    ],
    localuri: caller,
    remoteuri: callee,
    site: 'north',
    startts: 0,
    opts: {},
    domains: [domain],
    b2b: 'north/n1/b2b-214',
    participations: [party('a', domain, from), party('b', domain, to)],
    bindings: [],
    ...rest,
  };
}

/** Id of a SIP user of a topology. */
export function userIdOf(domain: string, login: string): string {
  return namedUuid(`${domain}/sip/${login}`);
}

function party(side: 'a' | 'b', domain: string, name: string): Participation {
  return { side, kind: 'sipuser', domain, name, id: userIdOf(domain, name), number: name };
}

/** A b2b without SIP: the test says what happens to its calls. */
export class PlayedB2b {
  readonly scope: RoleScope;
  readonly #source: StreamSource;
  readonly #calls = new Map<string, DialogRecord>();
  #made = 0;
  /** When it drains: it ends its calls after so many milliseconds. 0: it stops at once, with them. */
  drainMs = 0;
  /** How long it then waits for the records of its calls. */
  storedMs = 0;

  constructor(scope: RoleScope) {
    this.scope = scope;
    this.#source = new StreamSource(scope);
  }

  get role(): Role<'b2b'> {
    const handlers = {
      ...this.#source.handlers,
      'dialog.list': ({ after = '' }: { after?: string | undefined }) => {
        const left = [...this.#calls.values()].filter(({ dialogid }) => dialogid > after);
        const dialogs = left.sort((a, b) => (a.dialogid < b.dialogid ? -1 : 1)).slice(0, 2);
        const next = left.length > dialogs.length ? { next: dialogs.at(-1)?.dialogid as string } : {};
        return done({ epoch: this.scope.epoch, upTo: this.#source.last, dialogs, ...next });
      },
    };
    return { handlers: handlers as unknown as Role<'b2b'>['handlers'], drain: () => this.#drain() };
  }

  async #drain(): Promise<void> {
    if (this.drainMs === 0) return;
    await new Promise<void>((resolve) => void this.scope.clock.setTimer(this.drainMs, resolve));
    for (const { dialogid } of this.calls) this.end(dialogid);
    if (this.storedMs > 0) await this.#source.stored(this.storedMs);
  }

  get calls(): readonly DialogRecord[] {
    return [...this.#calls.values()];
  }

  /** The events that it has published, as far as it keeps them. */
  get events(): readonly PlatformEvent[] {
    const events: PlatformEvent[] = [];
    for (let n = 0; ; ) {
      const read = this.#source.handlers['stream.read']({ after: { epoch: this.scope.epoch, n } });
      const items = read.ok ? read.value.items : [];
      if (items.length === 0) return events;
      events.push(...items.flatMap(({ event }) => event ?? []));
      n = items.at(-1)?.n ?? n;
    }
  }

  /** Begins a call, and answers its dialogid. */
  begin(text: CallText = {}): string {
    this.#made += 1;
    const { instance, epoch, clock } = this.scope;
    const dialogid = `${instance.srvidx}-${epoch.toString(36)}-${String(this.#made).padStart(6, '0')}`;
    const place = { site: instance.site, b2b: instance.address, startts: Math.floor(clock.now()) };
    this.#tell(callRecord(dialogid, { ...text, ...place }), 'invite', 'init');
    return dialogid;
  }

  answer(dialogid: string): void {
    this.#tell(this.#call(dialogid), 'dlg_start', 'dialog');
  }

  end(dialogid: string, type = 'bye'): void {
    this.beginEnd(dialogid, type);
    this.leave(dialogid);
  }

  /** A call ends; its last leg is still to go. */
  beginEnd(dialogid: string, type = 'bye'): void {
    this.#tell(this.#call(dialogid), 'dlg_end', 'ending', { type, sipcode: 200, reason: 'OK' });
  }

  /** The last leg of a call goes. */
  leave(dialogid: string): void {
    this.#calls.delete(dialogid);
    this.#source.publish({ gone: dialogid });
  }

  /** Records a call from now on. */
  record(dialogid: string): void {
    const call = this.#call(dialogid);
    const before = call.recordings ?? [];
    const n = before.length + 1;
    const startts = Math.floor(this.scope.clock.now());
    const dialog: DialogRecord = {
      ...call,
      recordings: [...before, { dialogid, n, startts, heard: [[0, true, true]] }],
    };
    this.#calls.set(dialogid, dialog);
    this.#source.publish({ dialog });
  }

  /** Publishes an event of a call, and no change of its record. */
  event(dialogid: string, name: string): void {
    this.#source.publish({ event: this.#eventOf(this.#call(dialogid), name) });
  }

  #call(dialogid: string): DialogRecord {
    const call = this.#calls.get(dialogid);
    if (call === undefined) throw new Error(`no call ${dialogid}`);
    return call;
  }

  #tell(call: DialogRecord, name: string, status: DialogStatus, more: object = {}): void {
    const answered = status === 'dialog' ? { answerts: Math.floor(this.scope.clock.now()) } : {};
    const dialog = { ...call, status, ...answered };
    this.#calls.set(call.dialogid, dialog);
    this.#source.publish({ event: this.#eventOf(dialog, name, more), dialog });
  }

  #eventOf({ acallid, inviteid, dialogid, domains, participations }: DialogRecord, name: string, more: object = {}) {
    const data = { acallid, cid: inviteid, inviteid, dialogid, ...more };
    const objects = [dialogid, inviteid, ...participations.map((each) => each.name)];
    return { class: 'callevents' as const, name, domains, objects, data };
  }
}
