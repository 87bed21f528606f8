/** What was sent within a call comes after its end: the call stays over. */
import type { FaultPlace } from '../../../../faults/places.ts';
import { answered, inService, isIdle, judge, type Placed } from '../../use-cases/edges/dashboards-counted.ts';
import { calls } from '../../use-cases/kit/paths.ts';
import { type Item, itemsOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

/** What is sent while two parties talk. */
const methods = ['INFO', 'NOTIFY', 'INVITE', 'UPDATE'];
const messages = methods.flatMap((method) => [`sip ${method}`, `sip 200 ${method}`]);
/** An edge counts a call for as long as answers to its end may come. */
const overMs = 2_000;

export const messagesLate = drillOf({
  name: 'messages-late',
  rule: 'When requests within a call of a provider, or the answers to them, arrive after the end of the call, at its edge or at its b2b, it stays over: no dashboard counts it or a trunk, no front shows it, and the provider has none.',
  exclusions: 'Accounts that are not in service; calls that limits end.',
  sender: '10.6.1.105',
  isOfMaster: true,
  play: async (drill) => {
    const [account] = await inService(drill);
    if (account === undefined || !(await isIdle(drill))) return;
    for (const { from, to, act } of ways(drill)) {
      const [placed] = await answered(drill, account);
      if (placed === undefined) return;
      await delay(drill, placed, { from, to, act });
    }
  },
});

interface Way {
  readonly from: FaultPlace;
  readonly to: FaultPlace;
  /** A request is sent that way, or its answer. */
  act(placed: Placed, path: string): unknown;
}

function ways(drill: Drill): readonly Way[] {
  const { questions } = drill.context;
  const command =
    (method: string, body: Item) =>
    ({ account: { domain } }: Placed, path: string) =>
      drill.ask(path, { domain, method, body });
  const [edge, b2b] = ['esg', 'b2b'];
  const acts: readonly Way['act'][] = [
    command('SEND_DTMF', { to: 'a', dtmf: '5' }),
    command('NOTIFY', { to: 'a', event: 'hold' }),
    ({ call }) => questions.press(call, '5'),
    ({ call }) => questions.hold(call, true),
  ];
  return acts.flatMap((act) => [
    { from: b2b, to: edge, act },
    { from: edge, to: b2b, act },
  ]);
}

async function delay(drill: Drill, placed: Placed, { from, to, act }: Way): Promise<void> {
  const { questions, providers } = drill.context;
  const { call, account } = placed;
  const live = async () =>
    itemsOf(await drill.ask(calls, { domain: account.domain })).filter(({ esgdlg }) => esgdlg !== '');
  const path = `${calls}/${String((await live())[0]?.['dialogid'])}`;
  await drill.during(
    (faults) => faults.hold({ from, to, oneWay: true, messages }),
    async () => {
      const acted = act(placed, path);
      await questions.wait(drill.quickMs);
      questions.hangUp(call);
      await questions.wait(overMs + drill.quickMs);
      await acted;
    },
  );
  await judge(drill, []);
  const ids = providers().flatMap((each) => each.calls.map(({ callid }) => callid));
  const left = await live();
  drill.expect(`a call that is over, and of which ${String(from)} has sent something before`, undefined, () =>
    left.length === 0 && !ids.includes(call.callid) ? undefined : `is there: ${JSON.stringify(left[0] ?? call)}`,
  );
}
