/** The events of the call of an IVR script, at a subscriber. */
import { isSame } from '../calls/call-judges.ts';
import { EventClient } from '../kit/event-client.ts';
import type { Item, UseCase } from '../kit/use-case.ts';

export interface PublishedRun {
  readonly runid: unknown;
  readonly scriptcode: string;
  readonly inviteid: string;
  /** Numbers. */
  readonly from: string;
  readonly to: string;
  readonly status: 'finished' | 'failed';
}

/** The types of components that act on something outside of the script: each has an event when it has ended. */
const acting = ['answer', 'call', 'menu', 'operation', 'play', 'record', 'refer', 'transfer'];
const subscription = 'ivr';

/** A subscriber of the events of all scripts about one object; `undefined`: there is none. */
export async function scriptEvents(useCase: UseCase, object: string, site: string): Promise<EventClient | undefined> {
  const client = await EventClient.open(useCase, { site });
  const answer = await client?.subscribe({ id: subscription, objects: [object], events: ['ivrevents.*'] });
  return answer?.['result'] === 'ok' ? client : undefined;
}

/** `steps`: the components that were executed, with the branch of each; `ends`: ones after which the call may be over. */
export async function judgeScriptEvents(
  useCase: UseCase,
  client: EventClient,
  {
    run,
    components,
    steps,
    ends,
  }: {
    readonly run: PublishedRun;
    readonly components: readonly Item[];
    readonly steps: readonly string[];
    readonly ends: readonly string[];
  },
): Promise<void> {
  const { runid, scriptcode, inviteid, from, to, status } = run;
  const common = { runid, scriptcode, inviteid, domain: useCase.domain };
  const own = () => client.eventsOf(subscription).filter(({ data }) => data['inviteid'] === inviteid);
  const isOver = await client.holds(() => own().some(({ name }) => name === 'ivrevents.ivr_stop'), useCase.patienceMs);
  // What it has missed it is notified of.
  if (client.notices.some(([name]) => name === 'gap')) return;
  const acted = steps.flatMap((step): Item[] => {
    const [component = '', branch = ''] = step.split(' ');
    const type = String(components.find(({ name }) => name === component)?.['type']);
    return acting.includes(type) ? [{ ...common, component, type, branch }] : [];
  });
  const expected = [
    { name: 'ivr_start', ...common, from, to },
    ...acted.map((fields) => ({ name: 'ivr_component', ...fields })),
    { name: 'ivr_stop', ...common, status, problem: '' },
  ];
  const got = own()
    .map(({ name, data: { eventid: _, eventts: __, ...data } }) => ({ name: name.split('.')[1], ...data }) as Item)
    .filter(({ component }) => !ends.includes(String(component)));
  useCase.expect(`events of the script ${scriptcode}`, undefined, () => {
    if (!isOver) return `no ivr_stop after ${got.map(({ name }) => String(name)).join()}`;
    const at = expected.findIndex((each, index) => !isSame(each, got[index]));
    if (at < 0 && got.length === expected.length) return undefined;
    return `expected ${JSON.stringify(expected[at])}, got ${JSON.stringify(got[at < 0 ? expected.length : at])}`;
  });
}
