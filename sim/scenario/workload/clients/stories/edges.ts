/** What operators do: bans, loads of the audio matchers, and border rules. */
import { oneOf } from '../../tally.ts';
import type { MadeRequest } from '../request-maker.ts';
import { remove, type Story, textIn } from './story.ts';

/** More wrong logins than a front allows. */
const guesses = 6;

/** An address is banned for wrong logins, one after the other or at once, goes on, and is shown; in some runs its ban is lifted. */
const guesser: Story = async (client) => {
  const { random } = client;
  const list = '/rest/v1/master/logicalroles/ws/bannedaddrs';
  const ip = `10.66.4.${random.integer(1, 200)}`;
  if (random.float() < 0.5) await Promise.all(Array.from({ length: guesses + 2 }, () => client.logInWrongly(ip)));
  else for (let n = 0; n < guesses; n += 1) await client.logInWrongly(ip);
  await client.pause(random.integer(3_000, 10_000));
  for (let n = random.integer(0, 2); n > 0; n -= 1) await client.logInWrongly(ip);
  await client.send({ method: 'GET', path: list });
  if (random.float() < 0.3) await client.send({ method: 'DELETE', path: `${list}/${ip}` });
  await client.logInWrongly(ip);
};

/** Bans of several addresses at an edge, of which one is prolonged, and one or all are lifted; or of one that guesses. */
export const bans: Story = async (client) => {
  const { random } = client;
  if (random.float() < 1 / 3) return guesser(client);
  const list = `/rest/v1/master/logicalroles/${random.float() < 0.5 ? 'sg' : 'esg'}/bannedaddrs`;
  const ban = (ip: string) => client.send({ method: 'POST', path: list, body: { ip, expires: random.integer(8, 30) } });
  const addresses = Array.from({ length: random.integer(2, 4) }, () => `10.66.1.${random.integer(1, 200)}`);
  for (const ip of addresses) await ban(ip);
  await client.send({ method: 'GET', path: list });
  const ip = oneOf(addresses, random) ?? '';
  const isProlonged = random.float() < 0.5;
  if (isProlonged) await ban(ip);
  await client.pause(random.integer(0, 2_000));
  // One that was prolonged stays, so that it must last as long as either ban says.
  const other = isProlonged ? (addresses.find((each) => each !== ip) ?? ip) : ip;
  await remove(client, { item: random.float() < 0.8 ? `${list}/${other}` : list, list });
};

/** The audio matchers load their samples, and say so when the load is over, or while it goes on. */
export const matcher: Story = async (client) => {
  const path = '/rest/v1/master/audiomatcher';
  await client.send({ method: 'POST', path, body: { action: 'reload' } });
  await client.pause(client.random.integer(0, 4_000));
  await client.send({ method: 'GET', path: `${path}/status` });
};

/** By then the edges must follow a change of the border rules, and have answered. */
const [borderMs, registeredMs] = [5_500, 2_500];

/** A rule keeps unknown devices out, and others not; then it is changed or removed, and lets them in again. */
export const border: Story = async (client) => {
  const { random } = client;
  const list = '/rest/v1/master/borderrules';
  const [ip, username, domain] = [`10.66.2.${random.integer(1, 99)}`, `unknown-${client.tag()}`, 'root.test'];
  const others = [
    { ip, username: 'visitor', domain },
    { ip: '10.66.2.200', username, domain },
    { ip: '10.66.2.200', username: 'visitor', domain },
  ];
  const registerAll = () => {
    for (const one of [{ ip, username, domain }, ...others]) client.registerUnknownDevice(one);
    return client.pause(registeredMs);
  };
  const fields: readonly object[] = [
    { username },
    { username: `/^${username}$/`, domain },
    { remoteipmask: ip },
    // A network, by an address in its middle, and a range.
    { remoteipmask: '10.66.2.100/25' },
    { remoteipmask: '10.66.2.1+98', username },
    { remoteipmask: ip, username },
  ];
  const rule = { priority: random.integer(-50, 50), action: random.float() < 0.8 ? 'deny' : 'drop' };
  const made = await client.send({ method: 'POST', path: list, body: { ...rule, ...oneOf(fields, random) } });
  const id = textIn(made, 'id');
  if (id === undefined) return;
  const one = `${list}/${id}`;
  const exception = { username, priority: -100, action: 'allow' };
  const changes: readonly MadeRequest[] = [
    { method: 'DELETE', path: one },
    { method: 'PATCH', path: one, body: { enabled: 0 } },
    { method: 'PATCH', path: one, body: { action: 'deny', username: 'visitor' } },
    { method: 'POST', path: list, body: exception },
  ];
  await client.pause(borderMs);
  await registerAll();
  await client.send(oneOf(changes, random) ?? { method: 'DELETE', path: one });
  await client.pause(borderMs);
  await registerAll();
  await client.send({ method: 'DELETE', path: one });
};
