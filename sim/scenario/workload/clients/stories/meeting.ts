/** A selector meeting that a client runs. */
import { oneOf } from '../../tally.ts';
import { type Story, type StoryClient, textIn, uc } from './story.ts';

const selectors = `${uc}/selectors`;

/** By then the conference of a meeting must follow a change of its participants. */
const arrangedMs = 4_200;

/** A meeting that begins at once, calls a few participants, and is changed and looked at while it goes on. */
export const meeting: Story = async (client) => {
  const { random, numbers } = client;
  const plan = {
    timestartutc: new Date(client.now() + random.integer(-500, 500)).toISOString(),
    calldurationsec: random.integer(8, 18),
    calltimeout: random.integer(2, 8),
    topology_mode: random.float() < 0.5 ? 'topology' : 'direct',
  };
  const enabled = random.float() < 0.8;
  const id = textIn(
    await client.send({ method: 'POST', path: selectors, body: { ...plan, enabled, comment: client.tag() } }),
    'id',
  );
  if (id === undefined) return;
  if (!enabled) {
    await client.pause(random.integer(600, 2_000));
    await client.send({ method: 'GET', path: `${selectors}/${id}` });
    await client.send({ method: 'PATCH', path: `${selectors}/${id}`, body: { enabled: true } });
  }
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
