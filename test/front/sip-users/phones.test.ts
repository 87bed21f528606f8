/** A SIP user that was made through the interface: its phone registers and is called at once; when it is removed, it does not. */
import { credentialsFor } from '../../../src/model/sip/digest.ts';
import { responseTo, type SipRequest, type SipResponse } from '../../../src/model/sip/message.ts';
import { ScriptedEndpoint } from '../../kit/calls/outside.ts';
import { EntityClient, filterOf } from '../../kit/data/entities.ts';
import { emptied, FrontCluster } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const acme = 'acme.root.test';
let cluster: FrontCluster;
let client: EntityClient;

test.beforeEach(async () => {
  cluster = await FrontCluster.start();
  client = await EntityClient.open(cluster, 'sipuser');
});

/** A phone that sends what a test asks for, and accepts calls. */
class Phone {
  readonly line: ScriptedEndpoint;
  readonly #gate: string;
  readonly #login: string;
  #rounds = 0;

  constructor(login: string, gate: string) {
    const { map, outside } = cluster.world;
    this.#gate = map.endpointOf(map.instanceNamed(gate)!);
    this.#login = login;
    const answer = (request: SipRequest) =>
      request.method === 'ACK'
        ? undefined
        : responseTo(request, 200, {
            to: { ...request.to, tag: 'phone' },
            contact: `sip:${login}@${this.line.endpoint}`,
          });
    this.line = new ScriptedEndpoint(outside.network, '10.200.0.1:5060', answer);
  }

  /** Registers with a password; the last status. */
  async register(pwd: string): Promise<number> {
    this.#rounds += 1;
    const uri = `sip:${acme}`;
    const who = { uri: `sip:${this.#login}@${acme}` };
    const more = {
      uri,
      from: { ...who, tag: 'phone' },
      to: who,
      callid: `register-${this.#rounds}`,
      contact: `sip:${this.#login}@${this.line.endpoint}`,
      device: `${this.#login}-desk`,
      expires: 600,
    };
    const challenged = await this.#ask({ ...more, cseq: 1 });
    if (challenged?.challenge === undefined) return challenged?.status ?? 0;
    const credentials = credentialsFor({ username: this.#login, pwd }, challenged.challenge, {
      method: 'REGISTER',
      uri,
    });
    return (await this.#ask({ ...more, cseq: 2, credentials }))?.status ?? 0;
  }

  async #ask(more: Partial<SipRequest>): Promise<SipResponse | undefined> {
    const before = this.line.responses.length;
    this.line.ask(this.#gate, 'REGISTER', more);
    await cluster.world.wait(500);
    return this.line.responses.slice(before).at(-1);
  }

  get invites(): number {
    return this.line.requests.filter(({ method }) => method === 'INVITE').length;
  }
}

async function stateOf(login: string): Promise<unknown> {
  const path = `/rest/v1/uc/sipuser_states?${filterOf({ username: login })}`;
  const answer = await cluster.ask(`GET ${path}`, { token: client.token });
  return (answer.body as { status: string }[])[0]?.status;
}

test('it registers with its password, shows as online, and is called by its number', async (t) => {
  const phone = new Phone('2001', 'sg-213');
  t.true((await phone.register('sip')) >= 400, 'the SIP user does not exist yet');
  await client.create({ phonenumber: '4711' }, { at: 'south' });
  t.is(await phone.register('sip'), 200);
  t.is(await stateOf('2001'), 'online');
  cluster.world.outside.call(`${acme}/1001`, '4711');
  await cluster.world.wait(500);
  t.is(phone.invites, 1);
});

test('a wrong password is refused; a new one holds at once', async (t) => {
  const phone = new Phone('2001', 'sg-313');
  const { id } = await client.create();
  t.is(await phone.register('wrong'), 403);
  await client.ask(`PATCH /${id}`, { json: { pwd: 'new' } });
  t.is(await phone.register('sip'), 403);
  t.is(await phone.register('new'), 200);
});

test('a removed one is offline, can not register, and is not called', async (t) => {
  const phone = new Phone('2001', 'sg-213');
  const { id } = await client.create();
  t.is(await phone.register('sip'), 200);
  emptied(t, await client.ask(`DELETE /${id}`));
  t.is(await stateOf('2001'), undefined);
  cluster.world.outside.call(`${acme}/1001`, '2001');
  await cluster.world.wait(1_000);
  t.is(phone.invites, 0);
  t.true((await phone.register('sip')) >= 400);
  await client.create();
  await cluster.world.wait(100);
  t.is(await stateOf('2001'), 'offline', 'its registrations went with it');
});

test('one that may not register does not', async (t) => {
  const phone = new Phone('2001', 'sg-213');
  await client.create({ reg: 0 });
  t.true((await phone.register('sip')) >= 400);
  t.is(await stateOf('2001'), 'offline');
});
