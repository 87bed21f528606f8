/** Calls through the gate of a provider account: a scripted provider outside, and probes inside. */
import type { SipRequest } from '../../../src/model/sip/message.ts';
import { defaultMap } from '../maps.ts';
import { EdgeCluster, mapWith } from './edges.ts';
import { requestOf, type ScriptedEndpoint } from './outside.ts';
import { TestProvider } from './provider.ts';

export const gate = '10.2.0.12:5080';
export const address = 'north/n2/esg-221';
export const telecom = '10.9.0.1:5060';
export const acme = 'acme.root.test/acme-telecom';
export const b2b = 'north/n2/b2b-223';

/** A cluster whose account `acme` is with a provider outside. */
export interface Telecom {
  readonly cluster: EdgeCluster;
  readonly provider: ScriptedEndpoint;
}

export async function startTelecom(trunks = 30): Promise<Telecom> {
  const domains = defaultMap.topology.domains.map((domain) => ({
    ...domain,
    providers: domain.providers.map((each) => ({ ...each, trunks })),
  }));
  const providers: TestProvider[] = [];
  const cluster = await EdgeCluster.start({ map: mapWith({ domains }) }, (outside) => {
    providers.push(new TestProvider(outside, telecom));
  });
  const { endpoint } = providers[0]!;
  endpoint.heard.length = 0;
  return { cluster, provider: endpoint };
}

export async function counts({ cluster }: Telecom): Promise<{ dlgs: number; legs: number; trunks: number }> {
  const asked = cluster.probed.scope('ws-211').ask(address, 'edge.figures', {});
  const { value } = await cluster.probed.comes(asked);
  if (!value.ok) throw new Error(value.fault.message);
  const { dlgcount, callcount, regs } = value.value;
  return { dlgs: dlgcount, legs: callcount, trunks: regs[0]?.onlinetrunkcount ?? -1 };
}

/** A call of b2b to the provider, as far as its INVITE. */
export function callOut({ cluster }: Telecom, callid: string, more: Partial<SipRequest> = {}): SipRequest {
  const uri = 'sip:4930123@sip.telecom.test';
  const ends = { uri, to: { uri }, from: { uri: 'sip:1001@acme.root.test', tag: 'f' } };
  const invite = requestOf('INVITE', { callid, ...ends, via: [b2b], account: acme, inviteid: `i-${callid}`, ...more });
  cluster.tell('b2b-223', 'esg-221', invite);
  return invite;
}

/** A call of the provider to a number, as far as its INVITE. */
export function callIn({ provider }: Telecom, callid: string, more: Partial<SipRequest> = {}): SipRequest {
  const from = { uri: 'sip:4930123@sip.telecom.test', tag: 'p' };
  const to = { uri: 'sip:1001@sip.telecom.test' };
  return provider.ask(gate, 'INVITE', { callid, uri: `sip:acme@${gate}`, from, to, ...more });
}

/** A request of b2b in a call to the provider. */
export function inDialog(invite: SipRequest, method: SipRequest['method'], cseq = 2): SipRequest {
  return { ...invite, method, cseq, uri: `sip:4930123@${telecom}`, to: { ...invite.to, tag: 't' } };
}

export async function answered(call: Telecom, callid: string, status: number): Promise<SipRequest> {
  const invite = callOut(call, callid);
  await call.cluster.pass();
  const got = call.provider.requests.filter((each) => each.callid === callid).at(-1)!;
  call.provider.reply(got, status, { to: { ...got.to, tag: 't' } });
  await call.cluster.pass();
  return invite;
}
