/** Methods from outside the interface: refused in its words, without a session, and before a router looks them up. */

import { current, FrontCluster, nodes, refused, sessions } from '../../kit/front.ts';
import { test } from '../../kit/test.ts';

const inherited = Object.getOwnPropertyNames(Object.prototype);
const hostile = [...inherited, 'prototype', 'ALL', 'all', 'X', '0', 'then', 'length', '!', 'M-X'];

test('a method that is the name of a property of all objects is refused as any other', async (t) => {
  const cluster = await FrontCluster.start({ outside: false });
  for (const method of hostile) {
    for (const path of ['/healthz', sessions, current, nodes, `${nodes}/h1`, '/app/x/y']) {
      const answer = await cluster.ask(`${method} ${path}`);
      refused(t, answer, 405, /is not a method of this path; expected one of /);
      t.false((answer.headers.get('allow') ?? '').split(', ').includes(method));
    }
    refused(t, await cluster.ask(`${method} /nowhere`), 404, /^no such path: \/nowhere$/);
  }
  t.deepEqual(Object.getOwnPropertyNames(Object.prototype), inherited);
  t.truthy(await cluster.token());
});

test('a path that is the name of a property of all objects is no path', async (t) => {
  const cluster = await FrontCluster.start({ outside: false });
  const token = await cluster.token();
  for (const name of inherited) {
    refused(t, await cluster.ask(`GET /${name}`), 404);
    refused(t, await cluster.ask(`GET /rest/v1/${name}/sessions`), 404);
    for (const path of [`${nodes}/${name}`, `/rest/v1/metadata/entities/${name}/tab.json`, `/app/${name}/${name}`]) {
      refused(t, await cluster.ask(`GET ${path}`, { token }), 404);
    }
  }
  t.deepEqual(Object.getOwnPropertyNames(Object.prototype), inherited);
});

test('the name of a property of all objects in a query is a name like others', async (t) => {
  const cluster = await FrontCluster.start({ outside: false });
  const token = await cluster.token();
  const all = ((await cluster.ask(`GET ${nodes}`, { token })).body as { name: string }[]).map((item) => item.name);
  for (const name of [...inherited, '__proto__.x', 'constructor.name', 'name.__proto__', 'name.length', 'roles.0']) {
    const ask = async (query: Record<string, string>) => {
      const { status, body } = await cluster.ask(`GET ${nodes}?${new URLSearchParams(query)}`, { token });
      t.is(status, 200);
      return (body as { name?: string }[]).map((item) => (query['mask'] === undefined ? item.name : Object.keys(item)));
    };
    const refusals: Record<string, string>[] = [
      { filter: JSON.stringify(['==', ['property', name], null]) },
      { filter: `{${JSON.stringify(name)}:"x"}` },
      { order: JSON.stringify([name]) },
    ];
    for (const query of refusals) {
      const answer = await cluster.ask(`GET ${nodes}?${new URLSearchParams(query)}`, { token });
      refused(t, answer, 400, /no field ".*" here; expected one of name, /);
    }
    t.deepEqual((await ask({ mask: name, flat: 'true' })).flat(), []);
    t.deepEqual(await ask({ [name]: name }), all);
  }
  t.deepEqual(Object.getOwnPropertyNames(Object.prototype), inherited);
});
