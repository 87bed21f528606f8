/** A SIP user that a client makes, with a device: it loses its registration when the user is changed or removed. */

import { oneOf } from '../../tally.ts';
import type { MadeRequest } from '../request-maker.ts';
import { type ConnectedDevice, type Story, textIn, uc } from './story.ts';

const sipUsers = `${uc}/sipusers`;
/** By then the device must have registered; by then every registrar must have ended its registration. */
const [registeredMs, endedMs] = [2_500, 6_000];

/** A device leaves for good, and its user stays. */
const departure: Story = async (client) => {
  const { random } = client;
  const account = { login: `device-${client.tag()}`, pwd: client.tag() };
  const body = { ...account, phonenumber: account.login, opts: { maxexpires: 600 } };
  const id = textIn(await client.send({ method: 'POST', path: sipUsers, body }), 'id');
  const device = id === undefined ? undefined : client.connect(account);
  await client.pause(random.integer(registeredMs, 4 * registeredMs));
  device?.unregister();
};

export const device: Story = async (client) => {
  const { random } = client;
  if (random.float() < 1 / 3) return departure(client);
  const [login, pwd] = [`device-${client.tag()}`, client.tag()];
  const body = { login, pwd, phonenumber: login, opts: { maxexpires: 60 } };
  const id = textIn(await client.send({ method: 'POST', path: sipUsers, body }), 'id');
  if (id === undefined) return;
  const path = `${sipUsers}/${id}`;
  const first = client.connect({ login, pwd });
  if (first === undefined) return void (await client.send({ method: 'DELETE', path }));
  await client.pause(random.float() < 0.3 ? random.integer(0, registeredMs) : registeredMs);
  const other = { login: `device-${client.tag()}`, pwd: client.tag() };
  const changes: readonly (Omit<MadeRequest, 'path'> & { readonly second?: { login: string; pwd: string } })[] = [
    { method: 'DELETE' },
    { method: 'PATCH', body: { pwd: other.pwd }, second: { login, pwd: other.pwd } },
    { method: 'PATCH', body: { login: other.login }, second: { login: other.login, pwd } },
    { method: 'PATCH', body: { reg: 0 } },
  ];
  const { second: account, ...change } = oneOf(changes, random) ?? { method: 'DELETE' };
  await client.send({ ...change, path });
  if (random.float() < 0.5) first.register();
  await client.pause(endedMs);
  await client.send({ method: 'GET', path: `${uc}/sipuser_states` });
  first.register();
  const second = account && client.connect(account);
  await client.pause(registeredMs);
  second?.unregister();
  first.unregister();
  if (change.method !== 'DELETE') await client.send({ method: 'DELETE', path });
};

/** By then a registrar must have looked which devices are there, and have answered. */
const probedMs = 6_000;

/** A SIP user with two devices: one has to leave when fewer are allowed, and a silent one when another wants to register. */
export const devices: Story = async (client) => {
  const { random } = client;
  const account = { login: `device-${client.tag()}`, pwd: client.tag() };
  const body = { ...account, phonenumber: account.login, lic: { devices: 2 }, opts: { maxexpires: 120 } };
  const id = textIn(await client.send({ method: 'POST', path: sipUsers, body }), 'id');
  if (id === undefined) return;
  const path = `${sipUsers}/${id}`;
  const connected: ConnectedDevice[] = [];
  const connect = async () => {
    const one = client.connect(account);
    if (one !== undefined) connected.push(one);
    await client.pause(registeredMs);
  };
  await connect();
  await connect();
  if (random.float() < 0.5) await client.send({ method: 'PATCH', path, body: { lic: { devices: 1 } } });
  else {
    for (const one of connected) if (random.float() < 0.7) one.silence();
    await connect();
  }
  await client.pause(probedMs);
  await client.send({ method: 'GET', path });
  for (const one of connected) one.unregister();
  await client.send({ method: 'DELETE', path });
};
