/** The oracles of histories, each on requests of clients that keep its rule, break it, or do not touch it. */

import type { OracleMaker } from '../../../sim/oracles/oracle.ts';
import { itemsLinearizable } from '../../../sim/oracles/rules/histories/items-linearizable.ts';
import { sessionsLast } from '../../../sim/oracles/rules/histories/sessions-last.ts';
import { uniqueValues } from '../../../sim/oracles/rules/histories/unique-values.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const campaigns = '/rest/v1/uc/chatcampaigns';
const domain = 'acme.root.test';
const sessions = '/rest/v1/iam/sessions';

/** Clients that send requests, each for as long as its test says. */
class Clients extends Trial {
  #count = 0;

  constructor(maker: OracleMaker) {
    super(maker);
    this.asks('POST', sessions, { client: '', sent: { domain, login: 'a' }, body: { session_token: 'one' } });
  }

  /** A request that is under way; returns what ends it. `status` 0: without an answer. */
  begin(method: string, target: string, { client = 'one', site = 'hq', sent = undefined as unknown } = {}) {
    this.#count += 1;
    const about = { id: this.#count, site, method, target };
    this.see('request.received', { ...about, client, sent: sent === undefined ? undefined : JSON.stringify(sent) });
    return (status: number, body?: unknown, ageS?: number) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      this.see('request.answered', { ...about, status, tookMs: 1, body: text, ageS });
    };
  }

  /** The same at once; default: 200. */
  asks(
    method: string,
    target: string,
    { status = 200, body, ageS, ...more }: Partial<Answer> & Parameters<Clients['begin']>[2] = {},
  ): this {
    this.pass(1_000).begin(method, target, more)(status, body, ageS);
    return this;
  }
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly ageS: number;
}

const item = (values: object) => ({ id: 'x', ...values });
const at = `${campaigns}/x`;
const make = (clients: Clients) =>
  clients.asks('POST', campaigns, { sent: { code: 'a' }, body: item({ code: 'a', m: 0 }) });

for (const [what, verdict, go] of [
  [
    'what was written is read',
    'pass',
    (c) =>
      make(c)
        .asks('PATCH', at, { sent: { m: 1 }, body: item({ code: 'a', m: 1 }) })
        .asks('GET', at, { body: item({ m: 1 }) }),
  ],
  [
    'the read of an older value',
    'fail',
    (c) =>
      make(c)
        .asks('PATCH', at, { sent: { m: 1 }, body: item({ m: 1 }) })
        .asks('GET', at, { body: item({ m: 0 }) }),
  ],
  [
    'a field without a change has another value',
    'fail',
    (c) => make(c).asks('PATCH', at, { sent: { m: 1 }, body: item({ code: 'b', m: 1 }) }),
  ],
  [
    'a change without an answer that shows late',
    'pass',
    (c) =>
      make(c)
        .asks('PATCH', at, { status: 504, sent: { m: 1 } })
        .asks('GET', at, { body: item({ m: 0 }) })
        .asks('GET', at, { body: item({ m: 1 }) }),
  ],
  [
    'a change without an answer that shows, and then does not',
    'fail',
    (c) =>
      make(c)
        .asks('PATCH', at, { status: 504, sent: { m: 1 } })
        .asks('GET', at, { body: item({ m: 1 }) })
        .asks('GET', at, { body: item({ m: 0 }) }),
  ],
  [
    'a refused change that shows',
    'fail',
    (c) =>
      make(c)
        .asks('PATCH', at, { status: 503, sent: { m: 1 } })
        .asks('GET', at, { body: item({ m: 1 }) }),
  ],
  [
    'an item that was removed is listed',
    'fail',
    (c) =>
      make(c)
        .asks('DELETE', at, { status: 204 })
        .asks('GET', campaigns, { body: [item({ code: 'a' })] }),
  ],
  ['an item that was made is not found', 'fail', (c) => make(c).asks('GET', at, { status: 404 })],
  [
    'an item that was made is not found in another domain',
    'pass',
    (c) =>
      make(c)
        .asks('PATCH', `${sessions}/current`, { sent: { domain: 'root.test' } })
        .asks('GET', at, { status: 404 }),
  ],
  [
    'a copy that is as old as it says',
    'pass',
    (c) =>
      make(c)
        .asks('PATCH', at, { sent: { m: 1 }, body: item({ m: 1 }) })
        .pass(10_000)
        .asks('GET', at, { body: item({ m: 0 }), ageS: 15 }),
  ],
  [
    'a copy that is older than it says',
    'fail',
    (c) =>
      make(c)
        .asks('PATCH', at, { sent: { m: 1 }, body: item({ m: 1 }) })
        .pass(10_000)
        .asks('GET', at, { body: item({ m: 0 }), ageS: 2 }),
  ],
  [
    'a copy that does not have an item that was made before',
    'fail',
    (c) => make(c).pass(10_000).asks('GET', at, { status: 404, ageS: 2 }),
  ],
  [
    'a copy that has an item that was removed before',
    'fail',
    (c) =>
      make(c)
        .asks('DELETE', at, { status: 204 })
        .pass(10_000)
        .asks('GET', at, { body: item({}), ageS: 2 }),
  ],
  [
    'copies that show a value of the topology, which is written again later',
    'pass',
    (c) =>
      c
        .asks('GET', at, { body: item({ m: 0 }) })
        .pass(10_000)
        .asks('GET', at, { body: item({ m: 0 }), ageS: 2 })
        .asks('PATCH', at, { sent: { m: 1 }, body: item({ m: 1 }) })
        .asks('PATCH', at, { sent: { m: 0 }, body: item({ m: 0 }) }),
  ],
  ['nothing of items', 'unknown', (c) => c.asks('GET', '/rest/v1/uc/calls', { body: [] })],
] as readonly (readonly [string, string, (clients: Clients) => Trial])[]) {
  test(`items-linearizable: ${what}: ${verdict}`, async (t) => {
    const trial = await go(new Clients(itemsLinearizable)).quiesce();
    t.is(trial.verdict, verdict as never, trial.failures.join());
  });
}

test('items-linearizable: two changes at once of different fields both hold', async (t) => {
  const both = (last: object) => {
    const clients = make(new Clients(itemsLinearizable));
    const [first, second] = [
      clients.begin('PATCH', at, { sent: { m: 1 } }),
      clients.begin('PATCH', at, { sent: { n: 2 } }),
    ];
    second(200, item({ m: 0, n: 2 }));
    first(200, item({ m: 1, n: 2 }));
    return clients.asks('GET', at, { body: item(last) });
  };
  t.is((await both({ m: 1, n: 2 }).quiesce()).verdict, 'pass');
  t.is((await both({ m: 0, n: 2 }).quiesce()).verdict, 'fail');
});

const taken = { status: 409, sent: { code: 'a' }, body: { error_code: 1409, error_message: 'code: "a" is taken' } };
const second = { sent: { code: 'a' }, body: { id: 'y', code: 'a' } };

for (const [what, verdict, go] of [
  ['a value that another item has is refused', 'pass', (c) => make(c).asks('POST', campaigns, taken)],
  ['a value is given to two items', 'fail', (c) => make(c).asks('POST', campaigns, second)],
  [
    'a value of a removed item is given again',
    'pass',
    (c) => make(c).asks('DELETE', at, { status: 204 }).asks('POST', campaigns, second),
  ],
  [
    'a value of a removed item is refused',
    'fail',
    (c) => make(c).asks('DELETE', at, { status: 204 }).asks('POST', campaigns, taken),
  ],
  [
    'a value that an item has no longer is refused',
    'fail',
    (c) =>
      make(c)
        .asks('PATCH', at, { sent: { code: 'b' }, body: item({ code: 'b' }) })
        .asks('POST', campaigns, taken),
  ],
  [
    'a value is given to two items before a request without an answer',
    'fail',
    (c) =>
      make(c)
        .asks('POST', campaigns, second)
        .asks('POST', campaigns, { sent: { code: 'a' }, status: 504 }),
  ],
  [
    'a value is refused after a request without an answer, whose item may have it',
    'unknown',
    (c) => c.asks('POST', campaigns, { sent: { code: 'a' }, status: 504 }).asks('POST', campaigns, taken),
  ],
  // Seed 16074 of the campaign.
  [
    'two changes of an item at once, of which the first to be answered came last, free a value',
    'pass',
    (c) => {
      make(c);
      const last = c.begin('PATCH', at, { sent: { code: 'b' } });
      const first = c.begin('PATCH', at, { sent: { code: 'c' } });
      last(200, item({ code: 'b' }));
      first(200, item({ code: 'c' }));
      return c.asks('POST', campaigns, { sent: { code: 'c' }, body: { id: 'y', code: 'c' } });
    },
  ],
  [
    'a list with a value twice',
    'fail',
    (c) => c.asks('GET', campaigns, { body: [item({ code: 'a' }), { id: 'y', code: 'a' }] }),
  ],
] as readonly (readonly [string, string, (clients: Clients) => Trial])[]) {
  test(`unique-values: ${what}: ${verdict}`, async (t) => {
    const trial = await go(new Clients(uniqueValues)).quiesce();
    t.is(trial.verdict, verdict as never, trial.failures.join());
  });
}

const logout = (clients: Clients) => clients.asks('DELETE', `${sessions}/current`, { status: 204 });
const login = (clients: Clients, token: string) =>
  clients.asks('POST', sessions, { client: '', sent: { domain, login: 'a' }, body: { session_token: token } });

/** Ten sessions of a user, of which one ends and another one begins some time later. */
const replaceOneOfTen = (clients: Clients, afterMs: number) => {
  for (let count = 2; count <= 10; count += 1) login(clients, `session ${count}`);
  clients.asks('DELETE', `${sessions}/current`, { client: 'session 2', status: 204 });
  return login(clients.pass(afterMs - 1_000), 'session 11');
};

for (const [what, verdict, go] of [
  ['an open session is accepted', 'pass', (c) => c.asks('GET', at, { site: 'north' })],
  ['an open session is refused', 'fail', (c) => c.asks('GET', at, { site: 'north', status: 401 })],
  ['a closed session is refused', 'pass', (c) => logout(c).pass(6_000).asks('GET', at, { site: 'north', status: 401 })],
  [
    'a closed session is accepted',
    'fail',
    (c) => logout(c).pass(6_000).asks('GET', at, { site: 'north', status: 404 }),
  ],
  // Seed 16374 of the campaign.
  [
    'a session is refused after a login at a front that may not have heard of the end of another one',
    'unknown',
    (c) => replaceOneOfTen(c, 1_000).asks('GET', at, { status: 401 }),
  ],
  [
    'a session of ten is refused after a login at a front that has heard of the end of another one',
    'fail',
    (c) => replaceOneOfTen(c, 3_000).asks('GET', at, { status: 401 }),
  ],
  ['a session may be open elsewhere for five seconds', 'unknown', (c) => logout(c).asks('GET', at, { site: 'north' })],
] as readonly (readonly [string, string, (clients: Clients) => Trial])[]) {
  test(`sessions-last: ${what}: ${verdict}`, (t) => {
    const trial = go(new Clients(sessionsLast));
    t.is(trial.verdict, verdict as never, trial.failures.join());
  });
}
