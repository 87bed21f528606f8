/**
 * A virtual cluster with real conf and ivr; its b2b instances are parties that do what a test says, and its directory knows
 * the users of the topology. All other instances are probes.
 */

import assert from 'node:assert/strict';
import { loadSandbox, quickJs } from '../../../src/adapters/quickjs-sandbox.ts';
import type { Role, RoleScope } from '../../../src/cluster/role.ts';
import type { BodyOf } from '../../../src/model/protocol/catalogue.ts';
import type { ConferenceRecord } from '../../../src/model/protocol/messages/conference.ts';
import type { PlatformEvent } from '../../../src/model/protocol/messages/stream.ts';
import type { SipMessage, SipRequest } from '../../../src/model/sip/message.ts';
import { sipUri } from '../../../src/model/sip/uri.ts';
import { noBreakpoints } from '../../../src/ports/instrumentation/breakpoints.ts';
import { createConf } from '../../../src/roles/conf/conf.ts';
import { createIvr } from '../../../src/roles/ivr/ivr.ts';
import type { EffectPorts } from '../../../src/scripts/common-effects.ts';
import type { OutgoingCall } from '../../../src/sip/user-agent.ts';
import { ProbedCluster } from '../cluster/probed-cluster.ts';
import { TestParty } from './party.ts';
import { PlayedDirectory } from './played-directory.ts';

export const acme = 'acme.root.test';

type ConfAsk = 'conference.end' | 'conference.call' | 'conference.remove' | 'conference.hears' | 'conference.create';

/** Scripts of this world have no effects outside. */
const noEffects: EffectPorts = {
  sms: { send: () => assert.fail('no short message is expected') },
  breakpoints: noBreakpoints,
  httpClient: { send: () => assert.fail('no HTTP request is expected') },
};

export class PlatformWorld {
  readonly cluster: ProbedCluster;
  readonly directory: PlayedDirectory;
  readonly #b2bs = new Map<string, TestParty>();

  private constructor(seed: number) {
    this.cluster = new ProbedCluster({
      seed,
      roles: {
        conf: createConf,
        ivr: (scope) => createIvr(scope, { ...noEffects, sandbox: quickJs }),
        b2b: (scope) => this.#b2b(scope),
      },
      answer: ({ type, body }) =>
        type === 'directory.route' ? this.directory.route(body as BodyOf<'directory.route'>) : undefined,
    });
    this.directory = new PlayedDirectory(this.cluster.map);
  }

  static async start(seed = 1): Promise<PlatformWorld> {
    await loadSandbox();
    const world = new PlatformWorld(seed);
    await world.cluster.start();
    return world;
  }

  pass(ms = 50): Promise<void> {
    return this.cluster.pass(ms);
  }

  b2b(name = 'b2b-214'): TestParty {
    const party = this.#b2bs.get(name);
    if (party === undefined) throw new Error(`${name} has not started`);
    return party;
  }

  address(name: string): string {
    const instance = this.cluster.map.instanceNamed(name);
    if (instance === undefined) throw new Error(`no instance ${name}`);
    return instance.address;
  }

  /** Calls a number at a conf or ivr instance, as b2b does for a SIP user. Answers the leg of b2b. */
  call(number: string, by = '1001', more: Partial<OutgoingCall> & { at?: string; via?: string } = {}): string {
    const { at = 'conf-224', via = 'b2b-214', domain = acme, ...rest } = more;
    const where = { uri: sipUri(number, at), to: { uri: sipUri(number, domain) }, hop: this.address(at) };
    return this.b2b(via).call(where.uri, { ...where, from: { uri: sipUri(by, domain) }, domain, ...rest });
  }

  async conferences(at = 'conf-224', domain = acme): Promise<ConferenceRecord[]> {
    const asked = this.cluster.scope('mware-215').ask(this.address(at), 'conference.list', { domain });
    const { value } = await this.cluster.comes(asked);
    if (!value.ok) throw new Error(value.fault.message);
    return value.value.conferences;
  }

  /** Number and state of each participant of the only conference, in the order in which they came. */
  async people(at?: string): Promise<string[]> {
    const [conference, ...others] = await this.conferences(at);
    if (others.length > 0) throw new Error('more than one conference');
    return (conference?.participants ?? []).map(({ ruri, state }) => `${/\d+/.exec(ruri)?.[0]} ${state}`);
  }

  async command<T extends ConfAsk>(type: T, body: BodyOf<T>, at = 'conf-224') {
    return (await this.cluster.comes(this.cluster.scope('mware-215').ask(this.address(at), type, body))).value;
  }

  /** Events of conferences of north, as a callstore there heard them. */
  get events(): (PlatformEvent & { atMs: number })[] {
    return this.cluster.received.flatMap(({ by, envelope }) => {
      if (envelope.type !== 'stream.published' || by !== 'callstore-216') return [];
      const { items } = envelope.body as BodyOf<'stream.published'>;
      return items.flatMap(({ event, atMs = 0 }) => (event === undefined ? [] : [{ ...event, atMs }]));
    });
  }

  eventsNamed(name: string): (PlatformEvent & { atMs: number })[] {
    return this.events.filter((event) => event.name === name);
  }

  /** Events that a machine on a node did not expect, by its counters. */
  unexpectedAt(node: string): string[] {
    return [...this.cluster.node(node).counters.all().keys()].filter((name) => name.startsWith('event.unexpected.'));
  }

  /** SIP that a probe has got. */
  sipAt(name: string): SipMessage[] {
    const all = this.cluster.received.filter(({ by, envelope }) => by === name && envelope.type === 'sip');
    return all.map(({ envelope }) => envelope.body as SipMessage);
  }

  /** Sends SIP as a probe, word by word. */
  say(from: string, to: string, request: SipRequest): void {
    this.cluster.scope(from).tell(this.address(to), 'sip', request);
  }

  #b2b(scope: RoleScope): Role<'b2b'> {
    const { name, address } = scope.instance;
    const party = new TestParty({
      ...{ sentBy: address, host: name, uri: sipUri('1001', acme), clock: scope.clock, hop: '', isLossy: false },
      send: (message, hop) => scope.tell(hop, 'sip', message),
    });
    this.#b2bs.set(name, party);
    const handlers = {
      sip: (message: SipMessage, { from }: { from: string }) => party.agent.receive(message, from),
    };
    return { handlers: handlers as never, stop: () => party.agent.stop() };
  }
}
