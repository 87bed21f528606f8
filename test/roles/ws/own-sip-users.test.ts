/** To whose calls the subscriptions of plain users are limited, while SIP users change and directories are out of reach. */
import type { RoleScope } from '../../../src/cluster/role.ts';
import { done, failed, fault } from '../../../src/model/fault.ts';
import { OwnSipUsers } from '../../../src/roles/ws/own-sip-users.ts';
import { ProbedCluster } from '../../kit/cluster/probed-cluster.ts';
import { test } from '../../kit/test.ts';

const domain = 'acme.root.test';
const sipUser = {
  ...{ domain, login: '1001', pwd: '', name: '', phonenumber: '1001', devices: 1, trunks: -1 },
  ...{ calltimesec: 30, dlgtimesec: 0, maxexpires: 3_600, minexpires: 30, modextin: '', modextout: '' },
};

/** A front at hq whose directories know which SIP users (by id) a user has, and are asked so many times. */
async function start() {
  const directory = { bound: new Map<string, string[]>(), asked: [] as string[], isThere: true };
  const probed = new ProbedCluster({
    answer: ({ type, body }) => {
      if (type !== 'directory.sipusers') return done({});
      const { value } = (body as { where: { value: string } }).where;
      directory.asked.push(value);
      if (!directory.isThere) return failed(fault('timeout', 'no answer'));
      const ids = directory.bound.get(value) ?? [];
      return done({ users: ids.map((id) => ({ ...sipUser, id, iduser: value })) });
    },
  });
  await probed.start();
  const front = probed.map.instancesOf('ws').find(({ site }) => site === 'hq');
  const scope: RoleScope = probed.scope(front?.name ?? '');
  const own = new OwnSipUsers(scope);
  const take = async (user: string) => {
    const { value } = await probed.comes(own.take(user, domain));
    if (!value.ok) throw new Error(value.fault.message);
    return value.value;
  };
  const change = (...changedusers: [id: string, iduser: string][]) =>
    own.handlers['directory.changed']({ changedusers });
  return { probed, directory, own, take, change, front };
}

test('of a thousand subscriptions only those of the users of a changed SIP user are read again, once for each user', async (t) => {
  const { probed, directory, take, change } = await start();
  const users = Array.from({ length: 50 }, (_, index) => `user-${index}`);
  for (const user of users) directory.bound.set(user, [`sip-of-${user}`]);
  for (let index = 0; index < 1_000; index += 1) await take(users[index % 50] ?? '');
  directory.asked.length = 0;
  change(['sip-of-another', 'another']);
  await probed.pass(1_000);
  t.deepEqual(directory.asked, []);
  directory.bound.set('user-7', []);
  directory.bound.set('user-9', ['sip-of-user-9', 'sip-of-user-7']);
  change(['sip-of-user-7', 'user-9']);
  await probed.pass(1_000);
  t.deepEqual(directory.asked, ['user-7', 'user-9']);
  t.deepEqual([...(await take('user-9')).ids], ['sip-of-user-9', 'sip-of-user-7']);
});

test('while no directory answers, a limit stays as it is, and is read when one does', async (t) => {
  const { probed, directory, take, change } = await start();
  directory.bound.set('anna', ['one']);
  const limit = await take('anna');
  directory.isThere = false;
  directory.bound.set('anna', ['two']);
  change(['one', 'ben'], ['two', 'anna']);
  await probed.pass(10_000);
  t.deepEqual([...limit.ids], ['one']);
  directory.isThere = true;
  await probed.pass(2_000);
  t.deepEqual([...limit.ids], ['two']);
  directory.asked.length = 0;
  await probed.pass(10_000);
  t.deepEqual(directory.asked, []);
});

test('a front that was cut off from its directories reads the SIP users again when it reaches one', async (t) => {
  const { probed, directory, take, front } = await start();
  directory.bound.set('anna', ['one']);
  const limit = await take('anna');
  const mend = probed.faults.cut({ from: front?.node ?? '' });
  await probed.pass(10_000);
  directory.bound.set('anna', ['two']);
  mend();
  await probed.pass(10_000);
  t.deepEqual([...limit.ids], ['two']);
});

test('a change while a subscription reads its SIP users is read too', async (t) => {
  const { probed, directory, own, change } = await start();
  directory.bound.set('anna', ['one']);
  const taken = own.take('anna', domain);
  directory.bound.set('anna', ['one', 'two']);
  change(['two', 'anna']);
  const { value } = await probed.comes(taken);
  await probed.pass(1_000);
  t.deepEqual(value.ok && [...value.value.ids], ['one', 'two']);
});

test('SIP users are read no more when the last subscription of their user is over', async (t) => {
  const { probed, directory, own, take, change } = await start();
  const [first, second] = [await take('anna'), await take('anna')];
  own.release(first);
  change(['one', 'anna']);
  await probed.pass(1_000);
  own.release(second);
  directory.asked.length = 0;
  change(['one', 'anna']);
  await probed.pass(1_000);
  t.deepEqual(directory.asked, []);
});
