/** The keys by which a conference is found. */
import { exactly, refusing } from '../calls/call-judges.ts';
import type { SteadyUser } from '../kit/call.ts';
import { conferences } from '../kit/paths.ts';
import type { Item, Judge, UseCase } from '../kit/use-case.ts';
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
