/** A selector meeting whose directory does not answer for a moment: the participants hear what they have heard. */
import { failed, fault } from '../../../src/model/fault.ts';
import { acmeAdmin, FrontCluster, good } from '../../kit/front.ts';
import { FileClient } from '../../kit/http/files.ts';
import { scopedTest } from '../../kit/scoped.ts';
import { plant } from '../../planted/plant.ts';

const test = scopedTest();

const base = '/rest/v1/uc/selectors';
const music = ':SYNC_DOMAIN_DATA/selector/music.wav';
const refusal = failed(fault('overloaded', 'too many changes wait'));
/** What the directories refuse. */
let refused = '';
let cluster: FrontCluster;
let token: string;

test.beforeEach(async () => {
  refused = '';
  cluster = await FrontCluster.start({
    replaceRoles: (process) =>
      plant(process, {
        name: 'silent-directory',
        does: 'mdc refuses what the test names.',
        role: 'mdc',
        handlers: (right) => ({
          'data.get': (body, envelope) => (body.kind === refused ? refusal : right['data.get']?.(body, envelope)),
          'file.find': (body, envelope) => (body.kind === refused ? refusal : right['file.find']?.(body, envelope)),
        }),
      }),
  });
  token = await cluster.token(acmeAdmin);
});
test.afterEach(() => cluster.world.stop());

const heardBy = (login: string) => cluster.world.outside.phones(`acme.root.test/${login}`)[0]?.calls[0]?.hears;

test('what was set for the participants stays, and the file that they hear', async (t) => {
  const ask = async <T>(line: string, json: unknown) => good<T>(t, await cluster.ask(line, { token, json }));
  const files = await FileClient.open(cluster);
  await files.ask('PUT /rest/v1/fs/targets/selector/music.wav', { body: Buffer.alloc(16_044) });
  const timestartutc = new Date(cluster.world.now() - 1_000).toISOString();
  const plan = { enabled: false, timestartutc, topology_mode: 'topology', mediafile: music };
  const { id } = await ask<{ id: string }>(`POST ${base}`, plan);
  const people: string[] = [];
  for (const number of ['1001', '1002']) {
    const json = { number, topology_type: 'speaker' };
    people.push((await ask<{ id: string }>(`POST ${base}/${id}/participants`, json)).id);
  }
  await ask(`PATCH ${base}/${id}/topology`, { hears: Object.fromEntries(people.map((each) => [each, []])) });
  await ask(`PATCH ${base}/${id}`, { enabled: true });
  await cluster.world.wait(6_000);
  for (const kind of ['', 'selectortopology', 'selectorfile']) {
    refused = kind;
    await cluster.world.wait(3_000);
    for (const login of ['1001', '1002']) t.is(heardBy(login), music, `without ${kind}`);
  }
});
