/** The commands of a workload to live calls and conferences: end, transfer, hold, and work on conferences. */
import { callCommands, type WorkloadCommands } from '../language/workloads.ts';
import type { RequestsContext } from './requests.ts';
import { drawn, OperationCounter, oneOf, PoissonTimer, totalOf, type WorkloadPart } from './tally.ts';

type Command = (typeof callCommands)[number];
type Item = Readonly<Record<string, unknown>>;

const calls = '/rest/v1/uc/calls';
const conferences = '/rest/v1/uc/conferences';

/** For each command: the list of its targets, the path of their id, and its body. */
interface Form {
  readonly list: string;
  readonly id: string;
  readonly method: string;
  /** Appended to the path of the item. */
  readonly below?: string;
  readonly body?: (number: string) => Item;
}

const forms: Readonly<Record<Command, Form>> = {
  end: { list: calls, id: 'dialogid', method: 'DELETE' },
  transfer: { list: calls, id: 'dialogid', method: 'REFER', body: (number) => ({ by: 'a', referto: number }) },
  hold: { list: calls, id: 'dialogid', method: 'NOTIFY', body: () => ({ to: 'b', event: 'hold' }) },
  resume: { list: calls, id: 'dialogid', method: 'NOTIFY', body: () => ({ to: 'b', event: 'talk' }) },
  dtmf: { list: calls, id: 'dialogid', method: 'SEND_DTMF', body: () => ({ to: 'b', dtmf: '5' }) },
  conference: { list: calls, id: 'dialogid', method: 'SWITCHCONF', body: () => ({}) },
  invite: {
    list: conferences,
    id: 'confid',
    method: 'POST',
    below: '/participants',
    body: (number) => ({ to: number }),
  },
  endConference: { list: conferences, id: 'confid', method: 'DELETE' },
};

const usualMix: Readonly<Partial<Record<Command, number>>> = {
  end: 2,
  transfer: 2,
  hold: 1,
  resume: 1,
  dtmf: 1,
  conference: 1,
  invite: 1,
  endConference: 1,
};

export interface CommandsContext extends RequestsContext {
  /** Numbers of SIP users of the domain. */
  readonly numbers: readonly string[];
}

export function commandsPart(wanted: WorkloadCommands, context: CommandsContext): WorkloadPart {
  const { rate, through = context.fronts, as, mix = usualMix } = wanted;
  const accounts = new Map(callCommands.map((command) => [command, new OperationCounter(`command ${command}`)]));
  const command = async (name: Command): Promise<void> => {
    const { list, id, method, below = '', body } = forms[name];
    const site = oneOf(through, context.random) ?? '';
    const number = oneOf(context.numbers, context.random) ?? '';
    const draw = context.random.float();
    const listed = await context.apiClients.sendOrNone({
      through: site,
      as,
      method: 'GET',
      path: `${list}?limit=50&mask=${id}`,
    });
    const items = Array.isArray(listed?.body) ? (listed.body as Item[]) : [];
    const item = items[Math.floor(draw * items.length)];
    const account = accounts.get(name);
    // Without a target no command was started.
    if (item === undefined || account === undefined) return;
    account.started += 1;
    const path = `${list}/${item[id]}${below}`;
    const asked = { through: site, as, method, path, ...(body !== undefined && { body: body(number) }) };
    const answer = await context.apiClients.sendOrNone(asked);
    account.record(answer);
  };
  const timer = new PoissonTimer(rate, context, () => {
    const name = drawn(Object.entries(mix) as [Command, number][], context.random);
    if (name !== undefined) void command(name);
  });
  return {
    start: () => timer.start(),
    stop: () => timer.stop(),
    // Some commands arrive after the end of their target, so only their sum needs a success.
    tallies: () => {
      const tallies = [...accounts.values()].map((account) => account.report());
      return [totalOf('commands', tallies)];
    },
  };
}
