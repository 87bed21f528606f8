/** A device whose registration is revoked is notified of that once, whichever registrars are asked. */

import type { BodyOf } from '../../../src/model/protocol/catalogue.ts';
import { responseTo } from '../../../src/model/sip/message.ts';
import { acme, RegistrarCluster, registrars } from '../../kit/calls/registrars.ts';
import { test } from '../../kit/test.ts';

const sites = ['hq', 'north', 'south'] as const;
type SiteName = (typeof sites)[number];
type Asked = Partial<BodyOf<'registrar.unbind'>>;

/** A device that registered through a gate of the north. */
async function registered() {
  const cluster = await RegistrarCluster.start();
  const device = cluster.edges.endpoint('10.100.0.1:5060', (request) => responseTo(request, 200));
  await cluster.bind('north', cluster.binding());
  await cluster.pass();
  return {
    cluster,
    /** Asks a registrar, and does not wait. */
    unbind(site: SiteName, body: Asked = {}): void {
      const { probed } = cluster;
      const address = probed.map.instanceNamed(registrars[site])?.address ?? '';
      void probed.scope('mdc-133').ask(address, 'registrar.unbind', { domain: acme, login: '1001', ...body });
    },
    /** The registrars that have notified the device, one for each of their requests. */
    notifiers(): string[] {
      const notified = device.requests.filter(({ method, reason }) => method === 'NOTIFY' && reason === 'deactivated');
      const byCall = new Map(notified.map(({ callid, via }) => [callid, via.at(-1)?.split('/').at(-1) ?? '']));
      return [...byCall.values()];
    },
  };
}

test('a device is notified by the registrar of its site where all registrars are asked', async (t) => {
  const { cluster, unbind, notifiers } = await registered();
  for (const site of sites) unbind(site);
  await cluster.pass(5_000);
  t.deepEqual(notifiers(), ['sr-217']);
  for (const site of sites) t.deepEqual(await cluster.devices(registrars[site]), [], site);
});

test('a device is notified by the registrar of its site where another one is asked, also when it is asked itself later', async (t) => {
  const { cluster, unbind, notifiers } = await registered();
  unbind('south');
  await cluster.pass(1_000);
  t.deepEqual(notifiers(), ['sr-217']);
  for (const site of sites) unbind(site);
  await cluster.pass(5_000);
  t.deepEqual(notifiers(), ['sr-217']);
});

test('a device whose site has no registrar in reach is notified by the first one that is active', async (t) => {
  const { cluster, unbind, notifiers } = await registered();
  cluster.probed.faults.cut({ from: 'north' });
  await cluster.pass(5_000);
  for (const site of sites) unbind(site);
  await cluster.pass(5_000);
  t.deepEqual(notifiers(), ['sr-134']);
});

test('a device behind a cut is notified when the registrar of its site comes to know of it', async (t) => {
  const { cluster, unbind, notifiers } = await registered();
  const mend = cluster.probed.faults.cut({ from: 'north' });
  unbind('south');
  await cluster.pass(1_000);
  t.deepEqual(notifiers(), []);
  mend();
  await cluster.pass(70_000);
  t.deepEqual(notifiers(), ['sr-217']);
});

test('a device that ends its registration itself is not notified', async (t) => {
  const { cluster, unbind, notifiers } = await registered();
  for (const site of sites) unbind(site, { device: 'd1', callid: 'reg-1001-d1', cseq: 2 });
  await cluster.pass(5_000);
  t.deepEqual(await cluster.devices('sr-217'), []);
  t.deepEqual(notifiers(), []);
});

test('the end of a registration has one id, also where two registrars publish it: its device leaves at one, an operator removes it at the other', async (t) => {
  const { cluster, unbind } = await registered();
  const mend = cluster.probed.faults.cut({ from: 'north' });
  await cluster.unbind('north', { device: 'd1', callid: 'reg-1001-d1', cseq: 2 });
  unbind('south', { device: 'd1' });
  await cluster.pass(1_000);
  mend();
  await cluster.pass(70_000);
  const published = await Promise.all(['sr-217', 'sr-317'].map((by) => cluster.publishedBy(by)));
  const ends = published.map((items) => items.slice(-2).map(({ event }) => [event?.name, event?.data['eventid']]));
  t.deepEqual(
    ends[0]?.map(([name]) => name),
    ['unregister', 'data_changed'],
  );
  t.deepEqual(ends[0], ends[1]);
});
