/** Calls by command that are recorded, and live conferences that are changed. */
import type { Answer } from '../../../run/expectations.ts';
import { oneOf } from '../../tally.ts';
import { remove, type Story, type StoryClient, textIn, textOf, uc } from './story.ts';

/** By then a recording must have noted that a party is held. */
const heldMs = 2_600;

/** A call by command that is recorded, held and ended; then its record and recording are read. */
export const recordedCall: Story = async (client) => {
  const { random, numbers } = client;
  const [from, to] = [oneOf(numbers, random), oneOf(numbers, random)];
  if (from === undefined || to === undefined || from === to) return;
  const body = { from, to, response_mode: 3, timeout: random.integer(3, 10) };
  const method = random.float() < 0.5 ? 'POST' : 'INVITE';
  const dialogid = textIn(await client.send({ method, path: `${uc}/calls`, body }), 'dialogid');
  if (dialogid === undefined) return;
  const path = `${uc}/calls/${dialogid}`;
  const shown = await client.send({ method: 'GET', path });
  const inviteid = textIn(shown, 'inviteid');
  const record = (action: 'start' | 'stop') => client.send({ method: 'SETUP_RECORD', path, body: { action } });
  await record('start');
  const labels = { add: [client.tag()], remove: [] };
  if (random.float() < 0.3) await client.send({ method: 'SETUP_BINDINGS', path, body: labels });
  await client.pause(random.integer(500, 3_000));
  for (let more = random.integer(0, 2); more > 0; more -= 1) {
    await record('stop');
    await record('start');
    await client.pause(random.integer(500, 2_000));
  }
  if (random.float() < 0.5) await hold(client, path);
  // Other fronts, of which one may be cut off from the site of the call.
  for (let n = random.integer(1, 3); n > 0; n -= 1) await client.send({ method: 'GET', path });
  // There is no record of the call yet.
  if (inviteid !== undefined) await client.send({ method: 'GET', path: `/rest/v1/journal/calls/${inviteid}` });
  const verb = oneOf(['REFER', 'NOTIFY', 'SETUP_RECORD', 'SWITCHCONF', 'SEND_DTMF', 'SETUP_BINDINGS'], random);
  const said: Readonly<Record<string, object>> = {
    REFER: { by: oneOf(namesOf(textIn(shown, 'localuri') ?? 'a'), random), referto: oneOf(numbers, random) },
    NOTIFY: { to: 'b', event: 'hold' },
    SETUP_RECORD: { action: 'stop' },
    SWITCHCONF: {},
    SEND_DTMF: { to: 'b', dtmf: '5' },
    SETUP_BINDINGS: labels,
  };
  if (verb === 'SWITCHCONF') await moveToLost(client, path);
  await client.send({ method: verb ?? 'REFER', path, body: said[verb ?? 'REFER'] });
  await client.pause(random.integer(500, 3_000));
  if ((verb === 'REFER' || verb === 'SWITCHCONF') && inviteid !== undefined) await recordAgain(client, inviteid);
  await client.send({ method: 'DELETE', path });
  if (inviteid === undefined) return;
  await client.pause(6_000);
  const recordings = `/rest/v1/journal/calls/${inviteid}/attachments`;
  const listed = await client.send({ method: 'GET', path: recordings });
  client.known.note('GET', recordings, listed?.body);
  await client.send({ method: 'GET', path: `/rest/v1/journal/calls/${inviteid}` });
  const name = oneOf(fileNamesIn(listed), random);
  const one = `${recordings}/${name}`;
  // Again later, when its site may be out of reach.
  for (let n = name === undefined ? 0 : random.integer(1, 4); n > 0; n -= 1) {
    await client.send({ method: 'GET', path: one });
    await client.pause(random.integer(0, 4_000));
  }
  if (random.float() < 0.6)
    await remove(client, { item: name === undefined || random.float() < 0.3 ? recordings : one, list: recordings });
};

/** How side a can be named, and, once, a party of another domain with the same number, which is no party of the call. */
function namesOf(uri: string): string[] {
  return ['a', uri, uri.replace(/@[^>;]+/, '@elsewhere.test')];
}

/** One party holds the other one for a while. */
async function hold({ random, send, pause }: StoryClient, path: string): Promise<void> {
  const to = oneOf(['a', 'b'], random);
  await send({ method: 'NOTIFY', path, body: { to, event: 'hold' } });
  await pause(random.integer(heldMs, heldMs + 1_000));
  if (random.float() < 0.5) await send({ method: 'NOTIFY', path, body: { to, event: 'talk' } });
}

/** Records what a call has become, looks it up by its legs, and ends it. */
async function recordAgain(client: StoryClient, inviteid: string): Promise<void> {
  const filter = JSON.stringify(['==', ['property', 'inviteid'], inviteid]);
  const path = `${uc}/calls?filter=${encodeURIComponent(filter)}`;
  const listed = await client.send({ method: 'GET', path });
  for (const call of Array.isArray(listed?.body) ? listed.body : []) {
    const dialogid = textOf(call, 'dialogid');
    await client.send({ method: 'SETUP_RECORD', path: `${uc}/calls/${dialogid}`, body: { action: 'start' } });
    const callids = ((call ?? {}) as { readonly callids?: readonly string[] }).callids ?? [];
    for (const callid of callids) await client.send({ method: 'LOOKUP', path: `${uc}/calls`, body: { callid } });
    await client.pause(client.random.integer(500, 2_000));
    await client.send({ method: 'DELETE', path: `${uc}/calls/${dialogid}` });
  }
}

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
export const conference: Story = async (client) => {
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

/** The names of the files in a list of recordings, by site. */
function fileNamesIn(listed: Answer | undefined): string[] {
  const sites = Array.isArray(listed?.body) ? (listed.body as { readonly files?: readonly unknown[] }[]) : [];
  return sites.flatMap(({ files = [] }) => files.flatMap((file) => textOf(file, 'name') ?? []));
}
