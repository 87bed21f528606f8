/** A border rule keeps a device out where its fields fit, and while it is enabled. */
import { makeUser, type OwnSipUser, register } from '../events/own-device.ts';
import { type Item, itemsOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

const login = 'borders-guarded';
const rules = '/rest/v1/master/borderrules';
const ip = '10.77.3.20';
const [admitted, denied, unanswered] = [200, 403, 408];

export const bordersGuarded = useCaseOf({
  name: 'borders-guarded',
  rule: 'In a quiescent cluster, a device whose address, domain, user name and gate fit a border rule registers as its action says: not at all where it denies or drops; a rule that is not enabled, or that one field keeps from fitting, changes nothing; of several rules that fit the one of the lowest priority number decides.',
  exclusions: 'Devices that other rules keep out.',
  sender: '10.6.0.51',
  play: async (useCase) => {
    const user = await makeUser(useCase, login, { lic: { devices: 1 } });
    if (user === undefined) return;
    if ((await knock(useCase, user)) === admitted) await guard(useCase, user);
  },
});

async function knock(useCase: UseCase, user: OwnSipUser): Promise<number> {
  return (await register(useCase, user, { ip, expires: 600 })).status;
}

async function guard(useCase: UseCase, user: OwnSipUser): Promise<void> {
  const { map } = useCase.context;
  const ask = (path: string, request: Item = {}) => useCase.ask(path, { domain: map.masterDomain, ...request });
  useCase.afterwards(() => useCase.copied());
  const make = (fields: Item) => useCase.make(rules, { ...base, ...fields }, { domain: map.masterDomain });
  const expectAt = async (what: string, expected: number) => {
    await useCase.copied();
    const status = await knock(useCase, user);
    useCase.expect(`REGISTER at ${user.gate.name}, ${what}`, undefined, () =>
      status === expected ? undefined : `expected ${expected}, got ${status}`,
    );
  };
  const priorities = itemsOf(await ask(rules)).map(({ priority }) => Number(priority));
  const lowest = Math.min(0, ...priorities) - 2;
  const base = {
    priority: lowest + 1,
    site: '*',
    domain: useCase.domain,
    username: login,
    remoteipmask: ip,
    action: 'deny',
  };
  const rule = await make({ enabled: 1 });
  if (rule !== undefined) {
    await expectAt('which a rule denies', denied);
    for (const [fields, expected] of changes(useCase, user)) {
      const changed = await ask(rule.path, { method: 'PATCH', body: fields });
      if (changed?.status !== 200) break;
      await expectAt(`with ${JSON.stringify(fields)}`, expected);
    }
    await ask(rule.path, { method: 'PATCH', body: { action: 'deny' } });
    if ((await make({ action: 'allow', priority: lowest, username: '', enabled: 1 })) !== undefined)
      await expectAt('which a rule of a lower number allows', admitted);
  }
}

/** What is changed of the rule, one after the other, and how a REGISTER is answered then. */
function changes({ context: { map } }: UseCase, { gate }: OwnSipUser): readonly [Item, number][] {
  const elsewhere = [...map.sites.keys()].find((site) => site !== gate.site);
  return [
    [{ enabled: 0 }, admitted],
    ...(elsewhere === undefined ? [] : [[{ enabled: 1, site: elsewhere }, admitted] as [Item, number]]),
    [{ enabled: 1, site: gate.site }, denied],
    [{ site: '', remoteipmask: '10.77.3.21' }, admitted],
    [{ remoteipmask: ip }, denied],
    [{ remoteipmask: '10.77.3.16/30' }, admitted],
    [{ remoteipmask: '10.77.3.17/30' }, admitted],
    [{ remoteipmask: '10.77.3.23/29' }, denied],
    [{ remoteipmask: '10.77.3.15+4' }, admitted],
    [{ remoteipmask: '10.77.3.15+5' }, denied],
    [{ username: 'borders' }, admitted],
    [{ username: '/^borders-/' }, denied],
    [{ domain: 'none.test' }, admitted],
    [{ domain: '' }, denied],
    [{ useragent: 'none' }, admitted],
    // All that a rule without a user agent would need is its address.
    [{ username: '' }, admitted],
    [{ useragent: '', username: login, action: 'drop' }, unanswered],
  ];
}
