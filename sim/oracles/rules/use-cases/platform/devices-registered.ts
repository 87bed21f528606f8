/** A device registers, within the bounds of its SIP user, and leaves. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { SipResponse } from '../../../../../src/model/sip/message.ts';
import { sipUsers, states } from '../kit/paths.ts';
import { expecting, type Item, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

const account = { login: 'devices-registered', pwd: 'devices-registered-1', phonenumber: '779977' };
/** Seconds that a registration may last. */
const [shortest, longest] = [20, 40];
/** Devices, by address. */
const [first, second] = ['10.66.3.1', '10.66.3.2'];

export const devicesRegistered = useCaseOf({
  name: 'devices-registered',
  rule: 'In a quiescent cluster, a device registers with the password of its SIP user only, for no less than the shortest and no more than the longest time of the user, as often as the user has devices, and once where it is an analog line; each site knows it until it leaves, its time is over, its login or password is changed or its registrations are dropped.',
  exclusions:
    'Domains that no sg serves, and what the data or the registrar of a site that is away refuse; other sites in runs where instances keep changes from each other.',
  sender: '10.6.0.7',
  play: async (useCase) => {
    const { map } = useCase.context;
    const gates = useCase.sites.flatMap((site) => map.serving('sg', site, useCase.domain).slice(0, 1));
    const [gate] = gates;
    if (gate === undefined) return;
    const opts = { minexpires: shortest, maxexpires: longest };
    const user = { name: 'Registered', ...account, lic: { devices: 1 }, opts };
    const made = await useCase.make(sipUsers, user);
    if (made === undefined) return;
    const { id, path } = made;
    await useCase.copied();
    await register(useCase, { id, gate, other: gates.at(-1) ?? gate });
    await useCase.ask(path, { method: 'DELETE' });
    await useCase.copied();
    await useCase.everywhere(`${states}/${id}`, expecting(404), 0);
  },
});

interface Place {
  readonly id: string;
  readonly gate: InstanceEntry;
  readonly other: InstanceEntry;
}

async function register(useCase: UseCase, { id, gate, other }: Place): Promise<void> {
  const { domain } = useCase;
  const { questions } = useCase.context;
  const usual = { ip: first, username: account.login, domain, gate, pwd: account.pwd, expires: longest };
  const send = (changed: Partial<typeof usual>) => questions.register({ ...usual, ...changed });
  const answered = (what: string, response: SipResponse, status: number, expires?: number) => {
    // Its registrar or its data are away.
    if (response.status === 503 || response.status === 408) return;
    useCase.expect(what, undefined, () => {
      const isRight = response.status === status && (expires === undefined || response.expires === expires);
      return isRight
        ? undefined
        : `expected ${status}, expires ${expires}, got ${response.status}, ${response.expires}`;
    });
  };
  const isOnline = (isThere: boolean, withinMs = useCase.quickMs) =>
    useCase.everywhere(`${states}/${id}`, showing(isThere), withinMs);
  answered('REGISTER with a wrong password', await send({ pwd: 'wrong' }), 403);
  answered('REGISTER of an unknown user', await send({ username: 'nowhere-known' }), 403);
  answered('less than the shortest time', await send({ expires: shortest - 1 }), 423, shortest);
  await isOnline(false, 0);
  answered('the shortest time', await send({ expires: shortest }), 200, shortest);
  await isOnline(true);
  answered('more than the longest time', await send({ expires: longest + 1, gate: other }), 200, longest);
  answered('a second device', await send({ ip: second }), 403);
  answered('leaving', await send({ expires: 0 }), 200, 0);
  await isOnline(false);
  answered('another device', await send({ ip: second, expires: shortest }), 200, shortest);
  await questions.wait((shortest - 2) * 1_000);
  answered('in time', await send({ ip: second, expires: shortest }), 200, shortest);
  await questions.wait((shortest - 2) * 1_000);
  await isOnline(true, 0);
  // By a clock that is set right slowly it lasts longer.
  if (!useCase.areClocksRight) return;
  await questions.wait(4_000);
  await isOnline(false);
  answered('after its time', await send({ gate: other }), 200, longest);
  await isOnline(true);
  const dropped = await useCase.ask(`${states}/${id}`, { site: useCase.there, method: 'DELETE' });
  useCase.expect('DELETE of its state', dropped, expecting(204));
  await isOnline(false);
  answered('after it was dropped', await send({}), 200, longest);
  const patch = async (body: Item) => {
    await useCase.ask(`${sipUsers}/${id}`, { site: useCase.there, method: 'PATCH', body });
    await useCase.copied();
  };
  // A line of an analog gateway is named by all three parts, and is one device.
  await patch({ lic: { devices: 2 }, opts: { agat_chassis_id: '1', agat_port_id: '2' } });
  answered('a second device of two', await send({ ip: second }), 200, longest);
  answered('leaving', await send({ ip: second, expires: 0 }), 200, 0);
  // All registrars know it by then: with fewer devices allowed, each keeps the last one that it knows.
  await useCase.copied();
  await patch({ lic: { devices: 1 } });
  await patch({ lic: { devices: 2 } });
  answered('a second device of two again', await send({ ip: second }), 200, longest);
  answered('leaving', await send({ ip: second, expires: 0 }), 200, 0);
  await useCase.copied();
  await patch({ opts: { agat_lm_id: '3' } });
  answered('a second device of a line', await send({ ip: second }), 403);
  const pwd = 'another-1';
  await patch({ pwd });
  await isOnline(false);
  answered('with the other password', await send({ pwd }), 200, longest);
  await isOnline(true);
  const username = `${account.login}-2`;
  await patch({ login: username });
  await isOnline(false);
  // From the other address: one that fails five times within three minutes is banned, and this is played again and again.
  answered('with the login of before', await send({ ip: second, pwd }), 403);
  answered('with the other login', await send({ pwd, username }), 200, longest);
  await isOnline(true);
}

function showing(isOnline: boolean): Judge {
  return (answer) => {
    const { status } = (answer?.body ?? {}) as { status?: unknown };
    const isRight = answer?.status === 200 && (status === 'online') === isOnline;
    return isRight ? undefined : `expected ${isOnline ? 'online' : 'not online'}, got ${textOf(answer)}`;
  };
}
