/** By what a live call is found, listed and shown. */

import { type OwnCall, type SteadyUser, uriOf } from '../kit/call.ts';
import { calls, records } from '../kit/paths.ts';
import { filterOf, type Item, itemsOf, type Judge, type UseCase } from '../kit/use-case.ts';
import { differing, exactly, isSame, longTextOf, refusing } from './call-judges.ts';

const label = 'calls-adjusted';

export async function masked(useCase: UseCase, { path, dialogid }: OwnCall): Promise<void> {
  const own = `${label} 1`;
  await useCase.everywhere(`${path}?mask=dialogid,status,none`, exactly(200, { dialogid, status: 'dialog' }));
  await useCase.everywhere(`${path}?mask=dialogid,opts.label`, exactly(200, { dialogid, opts: { label: own } }));
  await useCase.everywhere(`${path}?mask=opts.label&flat`, exactly(200, { 'opts.label': own }));
  await useCase.everywhere(`${path}?flat=true`, (answer) => differing({ 'opts.label': own, opts: undefined }, answer));
}

export async function lists(useCase: UseCase, one: OwnCall, two: OwnCall): Promise<void> {
  const ids =
    (...expected: string[]): Judge =>
    (answer) => {
      const got = (Array.isArray(answer?.body) ? answer.body : []) as Item[];
      return isSame(
        got,
        expected.map((dialogid) => ({ dialogid })),
      )
        ? undefined
        : `expected ${expected.join()}, got ${longTextOf(answer)}`;
    };
  const own = (filter: unknown) => `${calls}?mask=dialogid&${filterOf(filter)}`;
  const both = ['like', ['property', 'opts.label'], `${label} %`];
  const second = ['==', ['property', 'opts.label'], `${label} 2`];
  const started = ['>=', ['property', 'startts'], 0];
  const down = `order=${encodeURIComponent('[{"startts":"desc"}]')}`;
  await useCase.everywhere(own(both), ids(one.dialogid, two.dialogid), useCase.patienceMs);
  await useCase.everywhere(`${own(both)}&${down}`, ids(two.dialogid, one.dialogid));
  await useCase.everywhere(`${own(both)}&limit=1`, ids(one.dialogid));
  await useCase.everywhere(`${own(both)}&limit=1&offset=1`, ids(two.dialogid));
  await useCase.everywhere(`${own(both)}&offset=2`, ids());
  await useCase.everywhere(`${own(both)}&limit=0`, ids());
  await useCase.everywhere(`${own(['&&', both, second, started])}`, ids(two.dialogid));
  await useCase.everywhere(`${own(['&&', both, ['!', second]])}`, ids(one.dialogid));
  await useCase.everywhere(`${own(['in', ['property', 'dialogid'], [two.dialogid, 'none']])}`, ids(two.dialogid));
  await useCase.everywhere(own({ dialogid: one.dialogid, status: 'forking' }), ids());
  await useCase.everywhere(`${own(both)}&limit=1&countonly=true`, exactly(200, { count: 2 }));
  const flat = `${calls}?${filterOf({ dialogid: two.dialogid })}&mask=opts.label,dialogid&flat`;
  await useCase.everywhere(flat, exactly(200, [{ dialogid: two.dialogid, 'opts.label': `${label} 2` }]));
  for (const query of [
    'limit=-1',
    'limit=10001',
    'offset=-1',
    'limit=x',
    'filter=%7B',
    'filter=["~",1,2]',
    'flat=maybe',
  ])
    useCase.expect(`a list with ${query}`, await useCase.ask(`${calls}?${query}`), refusing(400));
}

/** The records of two calls that are over. */
export async function recordLists(useCase: UseCase, one: OwnCall, two: OwnCall): Promise<void> {
  const both = filterOf(['in', ['property', 'inviteid'], [one.inviteid, two.inviteid, 'none']]);
  const counted = exactly(200, { count: 2 });
  if (!(await useCase.everywhere(`${records}?${both}&countonly&limit=0`, counted, useCase.patienceMs))) return;
  const listed = itemsOf(await useCase.ask(`${records}?${both}`));
  const by = (name: string) => listed.toSorted((a, b) => (String(a[name]) < String(b[name]) ? -1 : 1));
  const ids = (items: readonly Item[]) => items.map(({ inviteid }) => ({ inviteid }));
  const ordered = (order: unknown) => `order=${encodeURIComponent(JSON.stringify(order))}`;
  const up = ids(by('inviteid'));
  const [shorter, longer] = listed.toSorted((a, b) => Number(a['durationms']) - Number(b['durationms']));
  const least = Number(longer?.['durationms']);
  const mask = 'mask=inviteid';
  const rows: readonly (readonly [query: string, body: unknown])[] = [
    [`${both}&${mask}&${ordered(['inviteid'])}`, up],
    [`${both}&${mask}&${ordered([{ inviteid: 'desc' }])}`, up.toReversed()],
    [`${both}&${mask}&${ordered(['inviteid'])}&limit=1`, up.slice(0, 1)],
    [`${both}&${mask}&${ordered(['inviteid'])}&offset=1&limit=1`, up.slice(1)],
    [`${both}&${mask}&offset=2`, []],
    [`${both}&limit=0`, []],
    [
      `${filterOf({ inviteid: one.inviteid, dialogid: one.dialogid })}&${mask},none,acallid`,
      [{ inviteid: one.inviteid, acallid: one.acallid }],
    ],
    [`${filterOf({ inviteid: one.inviteid, dialogid: two.dialogid })}`, []],
  ];
  const ofTimes: typeof rows = [
    [`${both}&${mask}&${ordered([{ durationms: 'desc' }])}`, ids([longer ?? {}, shorter ?? {}])],
    [`${both}&${mask}&${ordered(['durationms'])}&limit=1`, ids([shorter ?? {}])],
    [
      `${filterOf(['&&', ['>=', ['property', 'durationms'], least], ['in', ['property', 'inviteid'], [one.inviteid, two.inviteid]]])}&${mask}`,
      ids([longer ?? {}]),
    ],
  ];
  const differ = shorter?.['durationms'] !== longer?.['durationms'];
  for (const [index, [query, body]] of [...rows, ...(differ ? ofTimes : [])].entries())
    await useCase.everywhere(`${records}?${query}`, exactly(200, body), useCase.patienceMs, {
      sites: [useCase.siteAt(index)],
    });
  const path = `${records}/${one.inviteid}?mask=inviteid,dialogid,none&flat`;
  useCase.expect(path, await useCase.ask(path), exactly(200, { inviteid: one.inviteid, dialogid: one.dialogid }));
  for (const query of ['limit=10001', 'offset=-1', 'filter=[5]', 'order=["none"]'])
    useCase.expect(query, await useCase.ask(`${records}?${query}`), refusing(400, query.slice(0, query.indexOf('='))));
}

/** By each key, and of several by the first in the documented order. */
export async function keys(
  useCase: UseCase,
  one: OwnCall,
  two: OwnCall | undefined,
  [x, y]: [SteadyUser, SteadyUser],
): Promise<void> {
  const { dialogid, inviteid, acallid, bcallid } = one;
  const find = (body: Item, site: string) => useCase.ask(calls, { method: 'LOOKUP', body, site });
  const bodies: Item[] = [
    { dialogid },
    { inviteid },
    { callid: acallid },
    { callid: bcallid },
    { uri: uriOf(useCase, x) },
    { uri: uriOf(useCase, y) },
    { from: x.number },
    { from: x.number, mode: 'number' },
    { from: x.login, mode: 'sipuser' },
    ...[x, y].flatMap(({ id, login, number, iduser }): Item[] => [
      { sipuserid: id },
      { sipuserlogin: login },
      { sipuserphonenumber: number },
      ...(iduser === undefined ? [] : [{ userid: iduser }]),
    ]),
    ...(two === undefined
      ? []
      : [
          { callid: bcallid, dialogid },
          { sipuserid: x.id, callid: acallid },
        ]),
    ...(two === undefined
      ? []
      : [
          { inviteid, callid: two.acallid },
          { sipuserid: 'none', dialogid },
        ]),
  ];
  for (const [turn, body] of bodies.entries()) {
    const site = useCase.sites[turn % useCase.sites.length] as string;
    // A user may have several SIP users.
    const isExact = body['userid'] === undefined;
    useCase.expect(`LOOKUP ${JSON.stringify(body)} at ${site}`, await find(body, site), (answer) => {
      const found = (Array.isArray(answer?.body) ? answer.body : []) as string[];
      const isRight = answer?.status === 200 && found.includes(dialogid) && (!isExact || found.length === 1);
      return isRight ? undefined : `expected ${dialogid}, got ${longTextOf(answer)}`;
    });
  }
  const none: Item[] = [{ dialogid: 'none' }, { callid: 'none', sipuserid: x.id }, { uri: '<sip:none@none.test>' }];
  for (const body of [...none, { from: '0000' }, { sipuserlogin: 'none' }])
    useCase.expect(`LOOKUP ${JSON.stringify(body)}`, await find(body, useCase.there), refusing(404, 'Lookup failed'));
  for (const body of [{}, { unknown: 'x' }, { dialogid: 1 }, { from: x.number, mode: 'x' }])
    useCase.expect(`LOOKUP ${JSON.stringify(body)}`, await find(body, useCase.there), refusing(400));
}
