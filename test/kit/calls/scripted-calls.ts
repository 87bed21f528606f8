/**
 * A cluster with real fronts, mware and directories, behind which a test plays the roles that have the calls: callstore,
 * b2b, ivr, conf and sr. What they are asked is noted; what they answer the test says.
 */

import type { Role, RoleScope } from '../../../src/cluster/role.ts';
import { parseCollectionQuery } from '../../../src/model/collection/query.ts';
import { done, failed, fault, type Outcome } from '../../../src/model/fault.ts';
import { type AskType, type BodyOf, catalogue, type ReplyOf } from '../../../src/model/protocol/catalogue.ts';
import type { Dialog } from '../../../src/model/protocol/messages/callstore.ts';
import type { ConferenceRecord } from '../../../src/model/protocol/messages/conference.ts';
import type { DialogRecord, Participation } from '../../../src/model/protocol/messages/dialog.ts';
import { dialogOf, dialogShape } from '../../../src/model/shapes/call-shapes.ts';
import { namedUuid } from '../../../src/model/uuid.ts';
import { roleToken, tokens } from '../../../src/tokens.ts';
import { applyAtOnce } from '../at-once.ts';
import { FrontCluster } from '../front.ts';

export interface Asked {
  /** Name of the instance that was asked. */
  readonly at: string;
  readonly type: string;
  readonly body: unknown;
}

type Script<T extends AskType> = (body: BodyOf<T>, at: RoleScope) => Outcome<ReplyOf<T>> | Promise<Outcome<ReplyOf<T>>>;

const played = ['callstore', 'b2b', 'ivr', 'conf', 'sr'] as const;

export class ScriptedCalls {
  /** Live calls by site. */
  readonly calls = new Map<string, DialogRecord[]>();
  /** Conferences by the name of their conf instance. */
  readonly conferences = new Map<string, ConferenceRecord[]>();
  readonly asked: Asked[] = [];
  #cluster: FrontCluster | undefined;
  readonly #scripts = new Map<string, Script<never>>();

  get cluster(): FrontCluster {
    if (this.#cluster === undefined) throw new Error('not started');
    return this.#cluster;
  }

  static async start(topology?: object): Promise<ScriptedCalls> {
    const scripted = new ScriptedCalls();
    scripted.#playStores();
    scripted.#cluster = await FrontCluster.start({
      outside: false,
      ...(topology && { topology }),
      replaceRoles: (scope) => {
        for (const role of played) {
          const make = { useFactory: (inner: typeof scope) => scripted.#play(inner.resolve(tokens.scope)) };
          scope.register(roleToken(role), make as never);
        }
      },
    });
    return scripted;
  }

  /** Says what asks of a type are answered. */
  on<T extends AskType>(type: T, script: Script<T>): void {
    this.#scripts.set(type, script as Script<never>);
  }

  /** What was asked of a type since the last time, each once. */
  take<T extends AskType>(type: T): { at: string; body: BodyOf<T> }[] {
    const taken = this.asked.filter((each) => each.type === type);
    this.asked.splice(0, this.asked.length, ...this.asked.filter((each) => each.type !== type));
    return taken.map(({ at, body }) => ({ at, body: body as BodyOf<T> }));
  }

  #play(scope: RoleScope): Role {
    const handlers = Object.keys(catalogue).map((type) => [
      type,
      (body: unknown) => {
        this.asked.push({ at: scope.instance.name, type, body });
        const script = this.#scripts.get(type);
        return script === undefined
          ? failed(fault('invalid', `${type} is not scripted`))
          : script(body as never, scope);
      },
    ]);
    return { handlers: Object.fromEntries(handlers) as Role['handlers'] };
  }

  #playStores(): void {
    const callsAt = ({ instance }: RoleScope, domain: string, own: BodyOf<'callstore.list'>['own']) =>
      (this.calls.get(instance.site) ?? []).filter(
        ({ domains, participations }) =>
          domains.includes(domain) &&
          (own === undefined || participations.some((party) => own.some(([id]) => id === party.id))),
      );
    this.on('callstore.list', ({ domain, own, params }, scope) => {
      const [, limit = ''] = params.find(([name]) => name === 'limit') ?? [];
      if (!/^\d{1,9}$/.test(limit)) return failed(fault('invalid', `limit: ${limit}`));
      const others = params.filter(([name]) => name !== 'limit');
      const query = parseCollectionQuery([...others, ['limit', String(Math.min(Number(limit), 10_000))]], dialogShape);
      if (!query.ok) return failed(fault('invalid', query.fault.message));
      const all = callsAt(scope, domain, own).map((record) => dialogOf(record, scope.clock.now()));
      const { count } = applyAtOnce(all, { ...query.value, countonly: true }, dialogShape) as { count: number };
      return done({ dialogs: applyAtOnce(all, query.value, dialogShape) as Dialog[], count });
    });
    this.on('callstore.get', ({ domain, own, dialogid }, scope) => {
      const record = callsAt(scope, domain, own).find((each) => each.dialogid === dialogid) ?? null;
      return done({ record, dialog: record && dialogOf(record, scope.clock.now()) });
    });
    this.on('callstore.find', ({ domain, own, key, values }, scope) => {
      const records = callsAt(scope, domain, own).filter((record) =>
        values.some((value) => isFound(record, key, value)),
      );
      return done({ records });
    });
    this.on('conference.list', ({ domain }, { instance }) =>
      done({
        conferences: (this.conferences.get(instance.name) ?? []).filter((each) => each.domain === domain),
        nowMs: 0,
      }),
    );
  }
}

function isFound(record: DialogRecord, key: BodyOf<'callstore.find'>['key'], value: string): boolean {
  switch (key) {
    case 'dialogid':
    case 'inviteid':
      return record[key] === value;
    case 'callid':
      return record.legs.some(({ callid }) => callid === value);
    case 'uri':
      return [record.localuri, record.remoteuri].includes(value);
    case 'number':
      return record.participations.some(({ number }) => number === value);
    case 'login':
      return record.participations.some(({ kind, name }) => kind === 'sipuser' && name === value);
    case 'sipuserid':
      return record.participations.some(({ id }) => id === value);
    case 'confid':
      return record.participations.some(({ kind, name }) => kind === 'conference' && name === value);
  }
}

const domain = 'acme.root.test';

/** A SIP user as a party. */
export function user(side: 'a' | 'b', name: string): Participation {
  return { side, kind: 'sipuser', domain, name, id: namedUuid(`${domain}/sip/${name}`), number: name };
}

/** A call of two SIP users of acme, at a b2b. */
export function callOf(from: string, to: string, more: Partial<DialogRecord> = {}): DialogRecord {
  const dialogid = more.dialogid ?? `214-${from}`;
  const localuri = `<sip:${from}@${domain}>`;
  const remoteuri = `<sip:${to}@${domain}>`;
  const callid = (side: string) => `${dialogid}-${side}`;
  return {
    dialogid,
    inviteid: `invite-${dialogid}`,
    acallid: callid('a'),
    esgdlg: '',
    status: 'dialog',
    legs: [
      { callid: callid('a'), side: 'a', localuri: remoteuri, remoteuri: localuri },
      { callid: callid('b'), side: 'b', localuri, remoteuri },
    ],
    localuri,
    remoteuri,
    site: 'north',
    startts: 1_000,
    opts: {},
    domains: [domain],
    b2b: 'north/n1/b2b-214',
    participations: [user('a', from), user('b', to)],
    bindings: [],
    ...more,
  };
}

/** A conference of acme at conf-224, with SIP users in it. */
export function conferenceOf(
  confid: string,
  numbers: readonly string[],
  more: Partial<ConferenceRecord> = {},
): ConferenceRecord {
  const uri = `<sip:5501@${domain}>`;
  return {
    confid,
    confroomnum: '01',
    confnumber: '157d',
    uri,
    conftype: 'conference',
    site: 'north',
    startts: 2_000,
    uris: numbers.map((number) => `<sip:${number}@${domain}>`),
    domain,
    conf: 'north/n2/conf-224',
    participants: numbers.map((number, index) => ({
      participantid: `p${index + 1}`,
      state: 'active',
      callid: `${confid}-${number}`,
      luri: uri,
      ltag: `l${index}`,
      ruri: `<sip:${number}@${domain}>`,
      rtag: `r${index}`,
      sincems: 2_000 - index,
    })),
    ...more,
  };
}
