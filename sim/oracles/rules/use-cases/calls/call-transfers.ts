/** REFER of a call: its body, and who talks afterwards. */

import { type OwnCall, type SteadyUser, uriOf } from '../kit/call.ts';
import { calls, records } from '../kit/paths.ts';
import type { Item, UseCase } from '../kit/use-case.ts';
import { differing, longTextOf, over, recorded, refusing, talking } from './call-judges.ts';

const label = 'calls-transferred';

export async function wrongRefers(useCase: UseCase, { path }: OwnCall, z: SteadyUser): Promise<void> {
  const right = { by: 'a', referto: z.number };
  const wrongs: Item[] = [
    { by: 'c' },
    { by: undefined },
    { referto: undefined },
    { referto: '' },
    { response_mode: -1 },
  ];
  for (const wrong of [...wrongs, { label: 'x'.repeat(257) }, { unknown: 1 }, { by: 1 }]) {
    const answer = await useCase.ask(path, { method: 'REFER', body: { ...right, ...wrong } });
    useCase.expect(`REFER with ${JSON.stringify(wrong).slice(0, 40)} (${Object.keys(wrong)})`, answer, refusing(400));
  }
  const none = await useCase.ask(path, { method: 'REFERREPLACES', body: { by: 'a' } });
  useCase.expect('REFERREPLACES without a second call', none, refusing(400));
  const other = await useCase.ask(path, { method: 'REFERREPLACES', body: { by: 'a', dialogid: '999-none-1' } });
  useCase.expect('REFERREPLACES with a call that is not there', other, refusing(404));
}

interface Refer {
  readonly call: OwnCall;
  readonly pair: readonly [SteadyUser, SteadyUser];
  readonly by: string;
  readonly to: SteadyUser;
}

/** One transfer, by one side of the pair. Returns the new call. */
export async function refer(useCase: UseCase, { call, pair: [x, y], by, to }: Refer): Promise<OwnCall | undefined> {
  const [initiator, opponent] = by === 'a' || by === uriOf(useCase, x) ? [x, y] : [y, x];
  const own = `${label} by ${by === 'a' ? by : 'URI'}`;
  const body = { by, referto: to.number, response_mode: 3, label: own };
  const answer = await useCase.ask(call.path, { method: 'REFER', body, site: useCase.there });
  const given = (answer?.body ?? {}) as Record<string, string>;
  // The phone was not registered just then.
  if (given['last_response']?.startsWith('SIP/2.0 480')) return undefined;
  const what = `REFER by ${by} to ${to.number}`;
  const isDone = useCase.expect(what, answer, (it) => {
    const expected = { dialogid: call.dialogid, result: 'ok', last_response: 'SIP/2.0 200 OK' };
    const missing = ['referdialogid', 'ivrcallid', 'acallid', 'bcallid'].find(
      (name) => typeof given[name] !== 'string',
    );
    return differing(expected, it) ?? (missing && `no ${missing} in ${longTextOf(it)}`);
  });
  if (!isDone) return undefined;
  const { referdialogid = '', acallid = '', bcallid = '' } = given;
  const path = `${calls}/${referdialogid}`;
  const opts = { 'referred-by': uriOf(useCase, initiator).slice(1, -1), label: own };
  const judge = talking(useCase, [opponent, to], { dialogid: referdialogid }, { acallid, bcallid });
  const isShown = await useCase.everywhere(
    path,
    (shown) => {
      const all = ((shown?.body ?? {}) as Item)['opts'] as Item | undefined;
      const wrong = Object.entries(opts).find(([name, value]) => all?.[name] !== value);
      return judge(shown) ?? (wrong && `opts: expected ${JSON.stringify(opts)}, got ${JSON.stringify(all)}`);
    },
    useCase.patienceMs,
  );
  if (!isShown) return undefined;
  await useCase.everywhere(call.path, over, useCase.patienceMs);
  const free = await useCase.ask(calls, { method: 'LOOKUP', body: { sipuserid: initiator.id } });
  const found = Array.isArray(free?.body) ? free.body : [];
  useCase.expect(`${what}: calls of its initiator`, free, (it) =>
    found.includes(call.dialogid) || found.includes(referdialogid) ? `it is in ${longTextOf(it)}` : undefined,
  );
  const { dialogid, inviteid } = call;
  const ended = { inviteid, dialogid, acallid: call.acallid, type: 'bye', status: null };
  await useCase.everywhere(`${records}/${inviteid}`, recorded(useCase, x, y, ended), useCase.patienceMs);
  const shown = (await useCase.ask(path))?.body as Item;
  return { path, dialogid: referdialogid, inviteid: String(shown['inviteid']), acallid, bcallid };
}
