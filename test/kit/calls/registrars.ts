/** A virtual cluster with real registrars (and gates), and what a test asks and hears of them. */

import type { BodyOf, ReplyOf } from '../../../src/model/protocol/catalogue.ts';
import type { BindingCopy } from '../../../src/model/protocol/messages/registrar.ts';
import type { PlatformEvent, StreamItem } from '../../../src/model/protocol/messages/stream.ts';
import { createSr } from '../../../src/roles/sr/sr.ts';
import type { ProbedClusterOptions } from '../cluster/probed-cluster.ts';
import { EdgeCluster } from './edges.ts';

export const acme = 'acme.root.test';

/** The active registrar of each site, at the start. */
export const registrars = { hq: 'sr-134', north: 'sr-217', south: 'sr-317' } as const;

/** An instance of each site that asks. */
const askers = { hq: 'b2b-114', north: 'b2b-214', south: 'b2b-314' } as const;
export type SiteName = keyof typeof registrars;

export class RegistrarCluster {
  readonly edges: EdgeCluster;

  private constructor(edges: EdgeCluster) {
    this.edges = edges;
  }

  static async start(options: ProbedClusterOptions = {}): Promise<RegistrarCluster> {
    return new RegistrarCluster(await EdgeCluster.start({ ...options, roles: { sr: createSr, ...options.roles } }));
  }

  get probed() {
    return this.edges.probed;
  }

  get nowMs(): number {
    return this.probed.clock.now();
  }

  pass(ms = 100): Promise<void> {
    return this.probed.pass(ms);
  }

  /** A binding as b2b makes it now. */
  binding(more: Partial<BindingCopy> & { livesMs?: number } = {}): BindingCopy {
    const { livesMs = 3_600_000, ...rest } = more;
    const { login = '1001', device = 'd1' } = rest;
    return {
      domain: acme,
      login,
      userid: `id-of-${login}`,
      device,
      contact: `sip:${login}@10.100.0.1:5060`,
      path: 'north/n1/sg-213',
      callid: `reg-${login}-${device}`,
      cseq: 1,
      userAgent: 'phone',
      ha1: 'ha1',
      leftMs: livesMs,
      changedMs: this.nowMs,
      isRemoved: false,
      ...rest,
    };
  }

  /** Registers at a site, and answers how it went. */
  async bind(site: SiteName, binding: BindingCopy, devices = 2, by: string = registrars[site]) {
    return this.#ask(site, by, 'registrar.bind', { binding, devices });
  }

  async unbind(site: SiteName, body: Partial<BodyOf<'registrar.unbind'>> = {}, by: string = registrars[site]) {
    return this.#ask(site, by, 'registrar.unbind', { domain: acme, login: '1001', ...body });
  }

  /** Devices that an instance knows of these users. */
  async devices(by: string, logins: readonly string[] = ['1001'], site: SiteName = siteOf(by)): Promise<string[]> {
    const { bindings } = await this.#ask(site, by, 'registrar.lookup', { domain: acme, logins: [...logins] });
    return bindings.map(({ device }) => device).sort();
  }

  async lookup(by: string, logins: readonly string[]): Promise<BindingCopy[]> {
    const body = { domain: acme, logins: [...logins] };
    return (await this.#ask(siteOf(by), by, 'registrar.lookup', body)).bindings;
  }

  async online(by: string): Promise<string[]> {
    return (await this.#ask(siteOf(by), by, 'registrar.online', { domain: acme })).logins.sort();
  }

  /** Every published event, once, with its publisher. */
  get events(): { by: string; event: PlatformEvent }[] {
    const published = new Map<string, { by: string; event: PlatformEvent }>();
    for (const { envelope } of this.probed.received) {
      if (envelope.type !== 'stream.published') continue;
      const { epoch, items } = envelope.body as { epoch: number; items: StreamItem[] };
      for (const { n, event } of items) {
        const by = envelope.from.split('/').at(-1) ?? '';
        if (event !== undefined) published.set(`${by} ${epoch} ${n}`, { by, event });
      }
    }
    return [...published.values()];
  }

  /** The same, as `name login device` or `status login`. */
  get news(): string[] {
    return this.events.map(({ event: { name, data } }) =>
      name === 'data_changed' ? `${data['status']} ${data['username']}` : `${name} ${data['login']} ${data['device']}`,
    );
  }

  /** The items of its stream that an instance still has, whether it serves or not. */
  async publishedBy(by: string): Promise<StreamItem[]> {
    const { items } = await this.#ask(siteOf(by), by, 'stream.read', { after: { epoch: 0, n: 0 } });
    return items;
  }

  async #ask<T extends 'registrar.bind' | 'registrar.unbind' | 'registrar.lookup' | 'registrar.online' | 'stream.read'>(
    site: SiteName,
    by: string,
    type: T,
    body: BodyOf<T>,
  ): Promise<ReplyOf<T>> {
    const address = this.probed.map.instanceNamed(by)?.address ?? by;
    const { value } = await this.probed.comes(this.probed.scope(askers[site]).ask(address, type, body));
    if (!value.ok) throw new Error(`${by}: ${value.fault.message}`);
    return value.value;
  }
}

function siteOf(name: string): SiteName {
  if (name.startsWith('sr-2')) return 'north';
  return name.startsWith('sr-3') ? 'south' : 'hq';
}
