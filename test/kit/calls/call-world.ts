/**
 * A virtual cluster with real b2b and gates; around it parties that are user agents and do what a test says: phones and
 * providers outside, ivr and conf inside. Directory and registrations are tables of the test, and callstore only writes down.
 */

import type { Handlers, Role, RoleScope } from '../../../src/cluster/role.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { done, failed, fault } from '../../../src/model/fault.ts';
import type { DialogRecord } from '../../../src/model/protocol/messages/dialog.ts';
import type { BindingCopy } from '../../../src/model/protocol/messages/registrar.ts';
import type { PlatformEvent, StreamItem } from '../../../src/model/protocol/messages/stream.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import { sipUri } from '../../../src/model/sip/uri.ts';
import { createB2b } from '../../../src/roles/b2b/b2b.ts';
import { EdgeCluster } from './edges.ts';
import { TestParty } from './party.ts';
import { PlayedDirectory } from './played-directory.ts';

export interface PhoneOptions {
  readonly domain?: string;
  /** The gate that it speaks to. */
  readonly gate?: string;
  readonly device?: string;
  readonly isRegistered?: boolean;
}

export const acme = 'acme.root.test';

export class CallWorld {
  readonly bindings: BindingCopy[] = [];
  /** The items of the streams of all b2b instances, each once, in the order of their arrival. */
  readonly streamItems: (StreamItem & { readonly by: string })[] = [];
  /** `call.referred`, as ivr instances got it. */
  readonly referrals: { readonly by: string; readonly body: Record<string, unknown> }[] = [];
  /** Whether callstores have stored what the streams say, and how often they were asked. */
  isStored = true;
  storedAsks = 0;
  /** What callstore answers when it is asked for calls. */
  found: (value: string) => DialogRecord[] = () => [];
  /** How long it takes for that. */
  findMs = 0;
  /** How long the directory takes to say where a number leads. */
  routeMs = 0;
  /** What the directory knows. Undefined: it gives no answer. */
  directory: PlayedDirectory | undefined;
  readonly #starting: Promise<EdgeCluster>;
  #edges: EdgeCluster | undefined;
  readonly #inside = new Map<string, TestParty>();
  readonly #heard = new Set<string>();
  #phones = 0;

  private constructor(edges: (world: CallWorld) => Promise<EdgeCluster>) {
    this.#starting = edges(this);
  }

  static async start({
    b2b = createB2b,
    ...options
  }: {
    map?: ClusterMap;
    seed?: number;
    b2b?: typeof createB2b;
  } = {}): Promise<CallWorld> {
    const world = new CallWorld((made) =>
      EdgeCluster.start({
        ...options,
        roles: {
          b2b,
          mdc: (scope) => made.#directory(scope),
          sdc: (scope) => made.#directory(scope),
          sr: () => made.#registrar(),
          callstore: (scope) => made.#store(scope),
          conf: (scope) => made.#end(scope),
          ivr: (scope) => made.#end(scope),
        },
      }),
    );
    world.#edges = await world.#starting;
    return world;
  }

  get edges(): EdgeCluster {
    if (this.#edges === undefined) throw new Error('not started');
    return this.#edges;
  }

  get map(): ClusterMap {
    return this.edges.probed.map;
  }

  pass(ms = 100): Promise<void> {
    return this.edges.pass(ms);
  }

  /** A phone of a SIP user, registered where it does not say otherwise. */
  phone(login: string, options: PhoneOptions = {}): TestParty {
    const { domain = acme, gate = 'sg-213', device = `${login}-desk`, isRegistered = true } = options;
    this.#phones += 1;
    const endpoint = `10.100.0.${this.#phones}:5060`;
    const party = this.#outsider(endpoint, gate, sipUri(login, domain));
    const path = this.#address(gate);
    const contact = sipUri(login, endpoint);
    if (isRegistered) this.bindings.push(bindingOf({ domain, login, device, contact, path }));
    return party;
  }

  /** The provider behind 10.9.0.1, which takes registrations. */
  provider(gate = 'esg-221', uri = 'sip:79990001@sip.telecom.test'): TestParty {
    return this.#outsider('10.9.0.1:5060', gate, uri);
  }

  /** An ivr or conf instance, as a party. */
  inside(name: string): TestParty {
    const party = this.#inside.get(name);
    if (party === undefined) throw new Error(`${name} has not started`);
    return party;
  }

  ask(to: string, type: 'dialog.command' | 'dialog.originate' | 'dialog.list', body: unknown) {
    return this.edges.probed.scope('mware-215').ask(this.#address(to), type, body as never);
  }

  /** Events of calls, by name, in order; of one call where its id is given. */
  events(dialogid?: string): PlatformEvent[] {
    const all = this.streamItems.map(({ event }) => event).filter((event) => event !== undefined);
    return dialogid === undefined ? all : all.filter((event) => event.data['dialogid'] === dialogid);
  }

  eventNames(dialogid?: string): string[] {
    return this.events(dialogid).map(({ name }) => name);
  }

  /** The live calls, as the stream items describe them. */
  get live(): DialogRecord[] {
    const calls = new Map<string, DialogRecord>();
    for (const { dialog, gone } of this.streamItems) {
      if (dialog !== undefined) calls.set(dialog.dialogid, dialog);
      if (gone !== undefined) calls.delete(gone);
    }
    return [...calls.values()];
  }

  /** The one live call. */
  get call(): DialogRecord {
    const [call, ...others] = this.live;
    if (call === undefined || others.length > 0) throw new Error(`${others.length + (call ? 1 : 0)} calls are live`);
    return call;
  }

  #outsider(endpoint: string, gate: string, uri: string): TestParty {
    const { outside, probed } = this.edges;
    const instance = this.map.instanceNamed(gate);
    if (instance === undefined) throw new Error(`no gate ${gate}`);
    const party: TestParty = new TestParty({
      ...{ sentBy: endpoint, host: endpoint, uri, clock: probed.clock, isLossy: true },
      hop: this.map.endpointOf(instance),
      send: (message, hop) => line.send(hop, message),
    });
    const line = outside.attach(endpoint, (message, from) => party.agent.receive(message, from));
    return party;
  }

  #address(name: string): string {
    const instance = this.map.instanceNamed(name);
    if (instance === undefined) throw new Error(`no instance ${name}`);
    return instance.address;
  }

  #directory({ map, clock }: RoleScope): Role<'mdc'> & Role<'sdc'> {
    this.directory ??= new PlayedDirectory(map);
    const handlers: Partial<Handlers<'mdc'>> = {
      'directory.route': async (question) => {
        if (this.routeMs > 0) await new Promise<void>((resolve) => clock.setTimer(this.routeMs, resolve));
        if (this.directory === undefined) return failed(fault('unreachable', 'there is no directory'));
        return this.directory.route(question);
      },
      'directory.sipusers': (question) =>
        this.directory?.sipusers(question) ?? failed(fault('unreachable', 'there is no directory')),
    };
    return { handlers: handlers as Handlers<'mdc'> & Handlers<'sdc'> };
  }

  #registrar(): Role<'sr'> {
    const handlers: Partial<Handlers<'sr'>> = {
      'registrar.lookup': ({ domain, logins }) =>
        done({ bindings: this.bindings.filter((each) => each.domain === domain && logins.includes(each.login)) }),
    };
    return { handlers: handlers as Handlers<'sr'> };
  }

  #store({ clock }: RoleScope): Role<'callstore'> {
    const handlers: Partial<Handlers<'callstore'>> = {
      'stream.published': ({ epoch, items }, { from }) => {
        for (const item of items) this.#hear(from, epoch, item);
      },
      'callstore.stored': () => {
        this.storedAsks += 1;
        return this.isStored ? done({}) : failed(fault('unreachable', 'not yet'));
      },
      'callstore.find': async ({ domain, values }) => {
        if (this.findMs > 0) await new Promise((resolve) => clock.setTimer(this.findMs, () => resolve(undefined)));
        const found = values.flatMap((value) => this.found(value));
        return done({ records: found.filter(({ domains }) => domains.includes(domain)) });
      },
    };
    return { handlers: handlers as Handlers<'callstore'> };
  }

  #hear(from: string, epoch: number, item: StreamItem): void {
    const key = `${from} ${epoch} ${item.n}`;
    if (!from.includes('/b2b-') || this.#heard.has(key)) return;
    this.#heard.add(key);
    this.streamItems.push({ ...item, by: from });
  }

  #end(scope: RoleScope): Role<'conf'> & Role<'ivr'> {
    const { name, address, role } = scope.instance;
    const party = new TestParty({
      ...{ sentBy: address, host: name, uri: sipUri(role, acme), clock: scope.clock, isLossy: false },
      hop: '',
      send: (message, hop) => scope.tell(hop, 'sip', message),
    });
    this.#inside.set(name, party);
    const handlers = {
      sip: (message: SipMessage, { from }: { from: string }) => party.agent.receive(message, from),
      'call.referred': (body: Record<string, unknown>) => void this.referrals.push({ by: name, body }),
      'conference.find': () => done({ confid: `${scope.instance.srvidx}-1` }),
    };
    return { handlers: handlers as never, stop: () => party.agent.stop() };
  }
}

function bindingOf(where: Pick<BindingCopy, 'domain' | 'login' | 'device' | 'contact' | 'path'>): BindingCopy {
  const life = {
    userid: 'u',
    callid: 'r',
    cseq: 1,
    userAgent: 'test',
    ha1: '',
    leftMs: 1e15,
    changedMs: 0,
    isRemoved: false,
  };
  return { ...where, ...life };
}
