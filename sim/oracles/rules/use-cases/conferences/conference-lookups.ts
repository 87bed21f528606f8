/** The keys by which a conference is found, and the lists of its participants. */
import { exactly, refusing } from '../calls/call-judges.ts';
import type { SteadyUser } from '../kit/call.ts';
import { conferences } from '../kit/paths.ts';
import { filterOf, type Item, type Judge, type UseCase } from '../kit/use-case.ts';
import type { OpenConference } from './rooms.ts';

export const notFound = refusing(404, 'Lookup failed');

/** Each key leads to it, the first one in the documented order decides. */
export async function findByKeys(
  useCase: UseCase,
  { confid, uri, number: room, call: first, shown }: OpenConference,
  { number, login, id, iduser }: SteadyUser,
): Promise<void> {
  const confroomnum = shown['confroomnum'];
  const keys: Item[] = [
    { dialogid: first.dialogid },
    { inviteid: first.inviteid },
    { callid: first.acallid },
    { callid: first.bcallid },
    { uri: `<sip:${number}@${useCase.domain}>` },
    { uri },
    { from: number },
    { from: number, mode: 'number' },
    { from: login, mode: 'sipuser' },
    { sipuserid: id },
    { sipuserlogin: login },
    { sipuserphonenumber: number },
    ...(iduser === undefined ? [] : [{ userid: iduser }]),
    { confid },
    { confuri: uri },
    { confuri: uri.slice(1, -1) },
    { confroomnum },
    { confnumber: shown['confnumber'] },
    { confnumber: 'none', confroomnum },
  ];
  for (const [index, body] of keys.entries()) await lookUp(useCase, body, exactly(200, [confid]), index);
  const wrong: Item[] = [
    { confid: `${confid}1` },
    { confid, dialogid: 'none' },
    { confroomnum, confid: 'none' },
    { confnumber: room },
    { from: 'no-such-login', mode: 'sipuser' },
  ];
  for (const [index, body] of wrong.entries()) await lookUp(useCase, body, notFound, index);
  const invalid: Item[] = [{}, { mode: 'number' }, { number }, { confid: '' }, { from: number, mode: 'login' }];
  for (const [index, body] of invalid.entries()) await lookUp(useCase, body, refusing(400), index);
}

/** A callstore may have to fetch a call that it has missed. */
export async function lookUp(useCase: UseCase, body: Item, judge: Judge, index: number): Promise<void> {
  const request = { method: 'LOOKUP', body, sites: [useCase.siteAt(index)] };
  await useCase.everywhere(conferences, (answer) => withBody(body, judge(answer)), useCase.quickMs, request);
}

function withBody(body: Item, wrong: string | undefined): string | undefined {
  return wrong && `${JSON.stringify(body)}: ${wrong}`;
}

/** `all`: the participants in the order of the list, who take part. */
export async function listParticipants(
  useCase: UseCase,
  { path, confid, uri }: OpenConference,
  all: readonly { readonly id: string; readonly ruri: string }[],
): Promise<void> {
  const list = `${path}/participants`;
  const ids = all.map(({ id }) => id);
  const down = all.toSorted((one, next) => (one.ruri > next.ruri ? -1 : 1)).map(({ id }) => id);
  const order = `order=${encodeURIComponent('[{"ruri":"desc"}]')}`;
  const [first = '', second = ''] = ids;
  const one = { participantid: first, state: 'active', luri: uri };
  const rows: readonly (readonly [query: string, body: unknown])[] = [
    [`${order}&mask=participantid`, down.map(shownId)],
    [`${order}&offset=1&limit=1&mask=participantid`, down.slice(1, 2).map(shownId)],
    ['limit=2&mask=participantid', ids.slice(0, 2).map(shownId)],
    ['offset=1&limit=10000&mask=participantid', ids.slice(1).map(shownId)],
    [`offset=${ids.length}`, []],
    ['limit=0', []],
    [`${filterOf(['in', ['property', 'participantid'], [second, 'none']])}&mask=participantid`, [shownId(second)]],
    [`${filterOf(['!=', ['property', 'participantid'], first])}&countonly&limit=1`, { count: ids.length - 1 }],
    [`${filterOf({ participantid: first })}&mask=state,participantid,none,luri&flat=1`, [one]],
  ];
  for (const [index, [query, body]] of rows.entries())
    await useCase.everywhere(`${list}?${query}`, exactly(200, body), useCase.quickMs, {
      sites: [useCase.siteAt(index)],
    });
  const shown = `${list}/${first}?mask=participantid,luri,none,state&flat`;
  useCase.expect(shown, await useCase.ask(shown, { site: useCase.there }), exactly(200, one));
  const own = `${conferences}?${filterOf({ confid })}&mask=confid,uri`;
  useCase.expect(own, await useCase.ask(`${own}&flat&limit=1`), exactly(200, [{ confid, uri }]));
  useCase.expect(own, await useCase.ask(`${own}&limit=0`), exactly(200, []));
  for (const query of ['limit=-1', 'offset=x', 'filter=[5]', 'order=["none"]', 'flat=maybe']) {
    const words = query.slice(0, query.indexOf('='));
    useCase.expect(query, await useCase.ask(`${list}?${query}`), refusing(400, words));
  }
}

const shownId = (participantid: string) => ({ participantid });
