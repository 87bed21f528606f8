/** What a client does in sequence: one request depends on the answers to those before. */
import type { RandomStream } from '../../../../src/ports/random.ts';
import type { UnknownDevice } from '../../../outside/unknown-devices.ts';
import type { Answer } from '../../run/expectations.ts';
import { oneOf } from '../tally.ts';
import type { KnownItems } from './known-items.ts';
import type { MadeRequest } from './request-maker.ts';

/** A client with one session of a working domain. */
export interface StoryClient {
  readonly random: RandomStream;
  readonly known: KnownItems;
  readonly numbers: readonly string[];
  /** A text that no other request has. */
  tag(): string;
  now(): number;
  pause(ms: number): Promise<void>;
  /** Through any front. */
  send(request: MadeRequest): Promise<Answer | undefined>;
  /** A device that the platform does not know wants to register through each gate of phones. */
  knock(device: Omit<UnknownDevice, 'gate'>): void;
}

type Story = (client: StoryClient) => Promise<void>;

const uc = '/rest/v1/uc';
const selectors = `${uc}/selectors`;
const parking = '/rest/v1/fs/targets/parking';
const fileNames = ['shared-1.wav', 'shared-2.wav'];

/** By then the conference of a meeting must follow a change of its participants. */
const arrangedMs = 4_200;

/** A meeting that begins at once, calls a few participants, and is changed and looked at while it goes on. */
const meeting: Story = async (client) => {
  const { random, numbers } = client;
  const plan = {
    timestartutc: new Date(client.now() + random.integer(-500, 500)).toISOString(),
    calldurationsec: random.integer(8, 18),
    calltimeout: random.integer(2, 8),
    topology_mode: random.float() < 0.5 ? 'topology' : 'direct',
  };
  const id = textIn(
    await client.send({ method: 'POST', path: selectors, body: { ...plan, comment: client.tag() } }),
    'id',
  );
  if (id === undefined) return;
  const participants = `${selectors}/${id}/participants`;
  const added: string[] = [];
  const group = random.float() < 0.35 ? await contactGroup(client) : undefined;
  for (let n = random.integer(1, 3); n > 0; n -= 1) {
    const number = group !== undefined && random.float() < 0.6 ? `group#${group}` : oneOf(numbers, random);
    const body = { number, recall: random.float() < 0.3, topology_type: 'speaker' };
    const participant = textIn(await client.send({ method: 'POST', path: participants, body }), 'id');
    if (participant !== undefined) added.push(participant);
  }
  await client.pause(random.integer(3_000, 8_000));
  await client.send({ method: 'GET', path: `${selectors}/${id}` });
  await client.send({ method: 'GET', path: participants });
  const one = oneOf(added, random);
  if (one === undefined) return;
  if (random.float() < 0.4) return void (await client.send({ method: 'DELETE', path: `${participants}/${one}` }));
  // Muted, then deaf, or the other way round: each is to be heard of before the next.
  const controls = random.float() < 0.5 ? ['mic', 'spk'] : ['spk', 'mic'];
  for (const control of controls) {
    const body = Object.fromEntries(controls.map((each) => [each, each !== control]));
    await client.send({ method: 'PATCH', path: `${participants}/${one}`, body });
    await client.send({ method: 'GET', path: `${participants}/${one}` });
    await client.pause(arrangedMs);
  }
};

/** Makes a group of a few numbers, and answers its code. */
async function contactGroup({ random, numbers, tag, send }: StoryClient): Promise<string | undefined> {
  const code = `group-${tag()}`;
  const members = Array.from({ length: random.integer(1, 3) }, () => oneOf(numbers, random));
  return textIn(await send({ method: 'POST', path: '/rest/v1/domain/contactgroups', body: { code, members } }), 'code');
}

/** A file that several clients write, read, list and remove. */
const file: Story = async (client) => {
  const { random } = client;
  const path = `${parking}/${oneOf(fileNames, random)}`;
  const write = (): MadeRequest => ({
    method: 'PUT',
    path,
    bytes: { type: 'audio/wav', text: `sound ${client.tag()}` },
  });
  const read: MadeRequest = { method: 'GET', path };
  await client.send(write());
  await client.send(read);
  for (let n = random.integer(1, 4); n > 0; n -= 1) {
    const draw = random.float();
    await client.pause(random.integer(0, 2_000));
    if (draw < 0.15) await client.send({ method: 'DELETE', path });
    else if (draw < 0.3) await client.send({ method: 'GET', path: parking });
    else if (draw < 0.5) await Promise.all([client.send(write()), client.send(read), client.send(write())]);
    else await client.send(draw < 0.7 ? write() : read);
  }
  await client.send(read);
};

/** A call by command that is recorded, held and ended; then its record and recording are read. */
const recordedCall: Story = async (client) => {
  const { random, numbers } = client;
  const [from, to] = [oneOf(numbers, random), oneOf(numbers, random)];
  if (from === undefined || to === undefined || from === to) return;
  const body = { from, to, response_mode: 3, timeout: random.integer(3, 10) };
  const method = random.float() < 0.5 ? 'POST' : 'INVITE';
  const dialogid = textIn(await client.send({ method, path: `${uc}/calls`, body }), 'dialogid');
  if (dialogid === undefined) return;
  const path = `${uc}/calls/${dialogid}`;
  const inviteid = textIn(await client.send({ method: 'GET', path }), 'inviteid');
  const record = (action: 'start' | 'stop') => client.send({ method: 'SETUP_RECORD', path, body: { action } });
  await record('start');
  await client.pause(random.integer(500, 3_000));
  for (let more = random.integer(0, 2); more > 0; more -= 1) {
    await record('stop');
    await record('start');
    await client.pause(random.integer(500, 2_000));
  }
  // Other fronts, of which one may be cut off from the site of the call.
  for (let n = random.integer(1, 3); n > 0; n -= 1) await client.send({ method: 'GET', path });
  // There is no record of the call yet.
  if (inviteid !== undefined) await client.send({ method: 'GET', path: `/rest/v1/journal/calls/${inviteid}` });
  const verb = oneOf(['REFER', 'NOTIFY', 'SETUP_RECORD', 'SWITCHCONF', 'SEND_DTMF', 'SETUP_BINDINGS'], random);
  const said: Readonly<Record<string, object>> = {
    REFER: { by: 'a', referto: oneOf(numbers, random) },
    NOTIFY: { to: 'b', event: 'hold' },
    SETUP_RECORD: { action: 'stop' },
    SWITCHCONF: {},
    SEND_DTMF: { to: 'b', dtmf: '5' },
    SETUP_BINDINGS: { add: [client.tag()], remove: [] },
  };
  if (verb === 'SWITCHCONF') await moveToLost(client, path);
  await client.send({ method: verb ?? 'REFER', path, body: said[verb ?? 'REFER'] });
  await client.pause(random.integer(500, 3_000));
  await client.send({ method: 'DELETE', path });
  if (inviteid === undefined) return;
  await client.pause(6_000);
  const recordings = `/rest/v1/journal/calls/${inviteid}/attachments`;
  const listed = await client.send({ method: 'GET', path: recordings });
  client.known.note('GET', recordings, listed?.body);
  await client.send({ method: 'GET', path: `/rest/v1/journal/calls/${inviteid}` });
  const name = oneOf(fileNamesIn(listed), random);
  const one = `${recordings}/${name}`;
  if (name !== undefined) await client.send({ method: 'GET', path: one });
  if (random.float() < 0.6)
    await remove(client, { item: name === undefined || random.float() < 0.3 ? recordings : one, list: recordings });
};

/** Moves a call to conferences that have ended before its parties come, so that the call goes on. */
async function moveToLost(client: StoryClient, path: string): Promise<void> {
  for (let n = client.random.integer(0, 2); n > 0; n -= 1) {
    const confid = textIn(await client.send({ method: 'SWITCHCONF', path, body: {} }), 'confid');
    if (confid === undefined) return;
    await client.send({ method: 'DELETE', path: `${uc}/conferences/${confid}` });
    await client.pause(client.random.integer(500, 2_000));
  }
}

/** A live conference: its participants, their audio topology, one more participant, and one less. */
const conference: Story = async (client) => {
  const { random, numbers } = client;
  const listed = await client.send({ method: 'GET', path: `${uc}/conferences` });
  const confids = Array.isArray(listed?.body) ? listed.body.map((each) => textOf(each, 'confid')) : [];
  const confid = oneOf(confids, random);
  if (confid === undefined) return;
  const path = `${uc}/conferences/${confid}`;
  const body = { to: oneOf(numbers, random) };
  const participantid = textIn(
    await client.send({ method: 'POST', path: `${path}/participants`, body }),
    'participantid',
  );
  await client.pause(random.integer(200, 3_000));
  await client.send({ method: 'GET', path: `${path}/participants` });
  await client.send({ method: 'GET', path: `${path}/topology` });
  if (participantid === undefined) return;
  const one = `${path}/participants/${participantid}`;
  await client.send({ method: 'GET', path: one });
  if (random.float() < 0.5)
    await client.send({ method: 'POST', path: `${path}/topology`, body: { hears: { [participantid]: [] } } });
  const list = `${path}/participants`;
  if (random.float() < 0.7) await remove(client, { item: one, list });
  const there = await client.send({ method: 'GET', path: list });
  const others = Array.isArray(there?.body) ? there.body.map((each) => textOf(each, 'participantid')) : [];
  const other = oneOf(others, random);
  if (other !== undefined) await remove(client, { item: `${list}/${other}`, list });
  if (random.float() < 0.2) await remove(client, { item: path, list: `${uc}/conferences` });
};

/** Bans of several addresses at an edge, of which one is prolonged, and one or all are lifted. */
const bans: Story = async (client) => {
  const { random } = client;
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
const matcher: Story = async (client) => {
  const path = '/rest/v1/master/audiomatcher';
  await client.send({ method: 'POST', path, body: { action: 'reload' } });
  await client.pause(client.random.integer(0, 4_000));
  await client.send({ method: 'GET', path: `${path}/status` });
};

/** By then the edges must follow a change of the border rules, and have answered. */
const [borderMs, knockedMs] = [5_500, 2_500];

/** A rule keeps unknown devices out, and others not; then it is changed or removed, and lets them in again. */
const border: Story = async (client) => {
  const { random } = client;
  const list = '/rest/v1/master/borderrules';
  const [ip, username, domain] = [`10.66.2.${random.integer(1, 99)}`, `unknown-${client.tag()}`, 'root.test'];
  const others = [
    { ip, username: 'visitor', domain },
    { ip: '10.66.2.200', username, domain },
    { ip: '10.66.2.200', username: 'visitor', domain },
  ];
  const knock = () => {
    for (const one of [{ ip, username, domain }, ...others]) client.knock(one);
    return client.pause(knockedMs);
  };
  const fields: readonly object[] = [
    { username },
    { username: `/^${username}$/`, domain },
    { remoteipmask: ip },
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
  await knock();
  await client.send(oneOf(changes, random) ?? { method: 'DELETE', path: one });
  await client.pause(borderMs);
  await knock();
  await client.send({ method: 'DELETE', path: one });
};

/** How long a removal may take until all see it. */
const goneMs = 2_500;

/** Removes something, and looks for it again when it must be gone. */
async function remove(client: StoryClient, { item, list }: { item: string; list: string }): Promise<void> {
  await client.send({ method: 'GET', path: list });
  const removed = await client.send({ method: 'DELETE', path: item });
  if (removed === undefined || removed.status >= 300) return;
  await client.pause(goneMs);
  await client.send({ method: 'GET', path: list });
}

export const stories = { meeting, file, recordedCall, conference, bans, matcher, border } as const satisfies Readonly<
  Record<string, Story>
>;

/** The names of the files in a list of recordings, by site. */
function fileNamesIn(listed: Answer | undefined): string[] {
  const sites = Array.isArray(listed?.body) ? (listed.body as { readonly files?: readonly unknown[] }[]) : [];
  return sites.flatMap(({ files = [] }) => files.flatMap((file) => textOf(file, 'name') ?? []));
}

function textIn(answer: Answer | undefined, name: string): string | undefined {
  return answer === undefined || answer.status >= 300 ? undefined : textOf(answer.body, name);
}

function textOf(value: unknown, name: string): string | undefined {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof found === 'string' ? found : undefined;
}
