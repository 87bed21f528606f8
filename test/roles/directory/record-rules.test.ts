/** Record rules of the domain data come along with what a number leads to, from every site. */

import { namedUuid } from '../../../src/model/uuid.ts';
import { test } from '../../kit/test.ts';
import { acme, DirectoryCluster } from './kit.ts';

const globex = 'globex.root.test';

async function create(cluster: DirectoryCluster, domain: string, given: Record<string, unknown>): Promise<string> {
  const id = namedUuid(`${domain} ${JSON.stringify(given)}`);
  await cluster.good('mdc-133', 'data.create', { kind: 'recordrule', domain, id, given });
  return id;
}

/** The titles are in the priorities: domains, each with the priorities of its rules. */
async function rules(cluster: DirectoryCluster, name: string, number = '1002', domain = acme) {
  const { recordrules = [] } = await cluster.good(name, 'directory.route', { domain, number, mode: 'number' });
  return recordrules.map((each) => [each.domain, ...each.rules.map(({ priority }) => priority)]);
}

test('rules come in the order in which they count, as far as they can make a difference', async (t) => {
  const cluster = await DirectoryCluster.start();
  t.deepEqual(await rules(cluster, 'sdc-218'), []);
  await create(cluster, acme, { rec: 1, priority: 7 });
  await create(cluster, acme, { rec: 0, priority: 3, fromnumber: '1001' });
  await create(cluster, acme, { rec: 0, priority: 9 });
  const made = await create(cluster, acme, { rec: 1, priority: 5, schedule: 'work' });
  for (const name of ['mdc-133', 'sdc-218', 'sdc-318'])
    t.deepEqual(await rules(cluster, name), [[acme, 3, 5, 7]], name);
  await cluster.good('mdc-133', 'data.patch', { kind: 'recordrule', domain: acme, id: made, patch: { priority: 1 } });
  t.deepEqual(await rules(cluster, 'sdc-218'), [[acme, 1, 3, 7]]);
  await cluster.good('mdc-133', 'data.delete', { kind: 'recordrule', domain: acme, id: made });
  t.deepEqual(await rules(cluster, 'sdc-318'), [[acme, 3, 7]]);
});

test('of a call to another domain the rules of both come', async (t) => {
  const cluster = await DirectoryCluster.start();
  await create(cluster, globex, { rec: 1, priority: 2, crossdomain: '*' });
  t.deepEqual(await rules(cluster, 'sdc-218'), []);
  t.deepEqual(await rules(cluster, 'sdc-218', `1002@${globex}`), [[globex, 2]]);
  await create(cluster, acme, { rec: 1, priority: 4 });
  for (const name of ['mdc-133', 'sdc-218']) {
    t.deepEqual(
      await rules(cluster, name, `1002@${globex}`),
      [
        [acme, 4],
        [globex, 2],
      ],
      name,
    );
  }
});

test('a row from before its fields had a meaning is no rule', async (t) => {
  const cluster = await DirectoryCluster.start();
  await create(cluster, acme, { rec: 1, priority: 1, schedule: 'night' });
  await create(cluster, acme, { rec: 1, priority: 2 });
  t.deepEqual(await rules(cluster, 'sdc-218'), [[acme, 2]]);
});

test('working hours are those of the SIP user of the call, of the user bound to it, or of the domain', async (t) => {
  const cluster = await DirectoryCluster.start();
  await create(cluster, acme, { rec: 1 });
  const offset = async (number: string, caller?: string) => {
    const asked = { domain: acme, number, mode: 'number', ...(caller !== undefined && { caller }) } as const;
    const { recordrules = [] } = await cluster.good('sdc-218', 'directory.route', asked);
    return recordrules[0]?.offsetHours;
  };
  t.is(await offset('1002', '1001'), 0);
  const patch = async (kind: string, id: string, change: Record<string, unknown>) =>
    cluster.good('mdc-133', 'data.patch', { kind, domain: acme, id, patch: change });
  await patch('user', namedUuid(`${acme}/user`), { timezone: -5.5 });
  t.is(await offset('1002', '1001'), -5.5, 'of the user who is bound to the caller');
  await patch('sipuser', namedUuid(`${acme}/sip/1001`), { timezone: '3' });
  t.is(await offset('1002', '1001'), 3, 'of the caller');
  t.is(await offset('1001'), 3, 'of the one that is called from outside');
  t.is(await offset('1001', '1002'), 0, 'the caller decides');
});
