/** Service scripts that start and transfer calls, and move them into conferences, by the component Operation. */
import { isSame, over, talking } from '../calls/call-judges.ts';
import { foundBy, meetingOf } from '../conferences/rooms.ts';
import { connect, directedUsers, endCalls, type SteadyUser, uriOf } from '../kit/call.ts';
import { calls, conferences } from '../kit/paths.ts';
import { type Item, itemsOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { judged, operating, type RunOperation, type WantedOperation } from './operating-script.ts';

const code = 'scripts-transfer';

const operations: readonly WantedOperation[] = [
  ['call.start', ['from', 'mode', 'to', 'response_mode', 'label']],
  ['call.list', ['filter', 'limit']],
  ['call.get', ['sipuserid']],
  ['call.refer', ['dialogid', 'by', 'referto', 'response_mode', 'label']],
  ['call.referreplaces', ['dialogid', 'by', 'otherdialogid']],
  ['call.setup_asr', ['dialogid', 'side', 'action']],
  ['call.switchconf', ['dialogid']],
  ['call.referconf', ['callid', 'by', 'confid']],
  ['conference.list', ['filter', 'limit']],
];

export const scriptsTransfer = useCaseOf({
  name: code,
  rule: 'In a quiescent cluster the operations of service scripts start a call by IVR, connect the opponent of a party with a number, and the opponents of two calls, turn a call into a conference, and move a party there; each gets the answer of the same command of a client, the parties are where it has moved them, and lists of calls and of conferences show them, filtered and limited. Of several calls of a user, the first one of LOOKUP is shown.',
  exclusions:
    'Domains with fewer than three phones that are registered, whose users limit calls, or whose limits refuse runs.',
  sender: '10.6.22.42',
  play: async (useCase) => {
    const [x, y, z] = await directedUsers(useCase, 3);
    if (x === undefined || y === undefined || z === undefined) return;
    const run = await operating(useCase, code, operations);
    if (run === undefined) return;
    const acting = { useCase, run };
    const started = await start(acting, [x, y]);
    const referred = started && (await refer(acting, [x, y, z], started));
    const replaced = referred && (await replace(acting, [x, y, z], referred));
    if (replaced !== undefined) await meet(acting, [x, y, z], replaced);
  },
});

interface Acting {
  readonly useCase: UseCase;
  readonly run: RunOperation;
}
type Two = readonly [SteadyUser, SteadyUser];
type Three = readonly [SteadyUser, SteadyUser, SteadyUser];

/** Each returns the id of the call that is live then; `undefined`: it could not be made, or something was wrong. */
type Connected = Promise<string | undefined>;

async function start({ useCase, run }: Acting, [x, y]: Two): Connected {
  const label = `${code} ${Math.floor(useCase.context.now())}`;
  const params = { from: x.login, mode: 'sipuser', to: y.number, response_mode: 3, label };
  const made = await run('call.start', params);
  const { result, last_response: last, dialogid = '', ...legs } = (made?.body ?? {}) as Record<string, string>;
  // Others judge that calls succeed: this one may be refused by rules.
  if (made === undefined || result === 'failed' || last?.includes(' 200 ') !== true) return undefined;
  const names = ['acallid', 'bcallid', 'ivrcallid'];
  if (!judged(useCase, 'call.start', made, () => result === 'ok' && isSame(Object.keys(legs).toSorted(), names)))
    return undefined;
  const { acallid, bcallid } = legs;
  const isShown = talking(useCase, [x, y], { dialogid }, { acallid, bcallid });
  if (!(await useCase.everywhere(`${calls}/${dialogid}`, isShown, useCase.patienceMs))) return undefined;
  const asr = await run('call.setup_asr', { dialogid, side: 'a', action: 'start' });
  judged(useCase, 'call.setup_asr', asr, (body) => isSame(body, { dialogid, result: 'ok' }));
  return dialogid;
}

/** The list of a script has exactly these, and fewer where it is limited. */
async function lists(
  { useCase, run }: Acting,
  kind: 'call' | 'conference',
  filter: unknown,
  ids: readonly string[],
): Promise<void> {
  const field = kind === 'call' ? 'dialogid' : 'confid';
  for (const limit of [100, 0]) {
    const listed = await run(`${kind}.list`, { filter, limit });
    judged(useCase, `${kind}.list with limit ${limit}`, listed, (body) => {
      const all = Array.isArray(body) ? (body as readonly Item[]) : [undefined];
      return isSame(
        all.map((each) => each?.[field]),
        ids.slice(0, limit),
      );
    });
  }
}

/** The opponent of x gets a call with z. */
async function refer({ useCase, run }: Acting, [x, y, z]: Three, dialogid: string): Connected {
  const params = { dialogid, by: 'a', referto: z.number, response_mode: 3, label: code };
  const answer = await run('call.refer', params);
  const { referdialogid = '', acallid, bcallid } = (answer?.body ?? {}) as Record<string, string>;
  const isDone = judged(useCase, 'call.refer', answer, (body) => {
    const { dialogid: of, result, last_response: last } = body as Item;
    return of === dialogid && result === 'ok' && last === 'SIP/2.0 200 OK';
  });
  if (!isDone) return undefined;
  const isShown = talking(useCase, [y, z], { dialogid: referdialogid }, { acallid, bcallid });
  await useCase.everywhere(`${calls}/${dialogid}`, over, useCase.patienceMs);
  await isFree(useCase, x);
  return (await useCase.everywhere(`${calls}/${referdialogid}`, isShown, useCase.patienceMs))
    ? referdialogid
    : undefined;
}

async function isFree(useCase: UseCase, user: SteadyUser): Promise<void> {
  const wrong = await useCase.context.questions.eventually(useCase.patienceMs, () =>
    useCase.callsOf(user).length === 0 ? [] : [`${user.number} has a call still`],
  );
  useCase.report(...wrong);
}

/** Y has calls with x and with z, which get a call of their own. */
async function replace({ useCase, run }: Acting, [x, y, z]: Three, dialogid: string): Connected {
  const other = await connect(useCase, { from: y.number, to: x.number });
  if (other === undefined) return undefined;
  await lists({ useCase, run }, 'call', { dialogid: other.dialogid }, [other.dialogid]);
  const first = await foundBy(useCase, calls, { sipuserid: y.id });
  const shown = await run('call.get', { sipuserid: y.id });
  judged(useCase, 'call.get of the first of two calls', shown, (body) => (body as Item)['dialogid'] === first[0]);
  const answer = await run('call.referreplaces', { dialogid, by: 'a', otherdialogid: other.dialogid });
  if (!judged(useCase, 'call.referreplaces', answer, (body) => isSame(body, { dialogid, result: 'ok' })))
    return undefined;
  await isFree(useCase, y);
  const uris = [x, z].map((user) => uriOf(useCase, user)).toSorted();
  let found: string | undefined;
  await useCase.everywhere(
    calls,
    (list) => {
      const own = itemsOf(list).filter((item) => isSame((item['uris'] as string[]).toSorted(), uris));
      found = own[0]?.['dialogid'] as string | undefined;
      return own.length === 1 && own[0]?.['status'] === 'dialog' ? undefined : `${own.length} calls of ${uris.join()}`;
    },
    useCase.patienceMs,
  );
  return useCase.problems.length === 0 ? found : undefined;
}

/** The call of x and z becomes a conference, which y joins out of a call with x. */
async function meet({ useCase, run }: Acting, [x, y, z]: Three, dialogid: string): Promise<void> {
  const switched = await run('call.switchconf', { dialogid });
  const { confid = '' } = (switched?.body ?? {}) as Record<string, string>;
  const isDone = { dialogid, result: 'ok', confid };
  if (!judged(useCase, 'call.switchconf', switched, (body) => confid !== '' && isSame(body, isDone))) return;
  const path = `${conferences}/${confid}`;
  useCase.afterwards(() => useCase.ask(path, { method: 'DELETE' }));
  if (!(await useCase.everywhere(`${path}/participants`, meetingOf(useCase, [x, z]), useCase.patienceMs))) return;
  const call = await connect(useCase, { from: y.number, to: x.number });
  if (call === undefined) return;
  const moved = await run('call.referconf', { callid: call.bcallid, by: uriOf(useCase, x), confid });
  const wanted = { dialogid: call.dialogid, result: 'ok', confid };
  if (!judged(useCase, 'call.referconf', moved, (body) => isSame(body, wanted))) return;
  await useCase.everywhere(`${path}/participants`, meetingOf(useCase, [x, y, z]), useCase.patienceMs);
  await useCase.everywhere(call.path, over, useCase.patienceMs);
  await lists({ useCase, run }, 'conference', { confid }, [confid]);
  await useCase.ask(path, { method: 'DELETE' });
  await useCase.everywhere(path, over, useCase.patienceMs);
  await endCalls(useCase, [x, y, z]);
}
