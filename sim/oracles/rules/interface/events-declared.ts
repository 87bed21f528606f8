/** Events are as their declarations say. */
import { eventCatalogue } from '../../../../src/model/events/event-catalogue.ts';
import type { EventDeclaration } from '../../../../src/model/events/event-declaration.ts';
import type { PlatformEvent } from '../../../../src/model/protocol/messages/stream.ts';
import type { OracleMaker } from '../../oracle.ts';
import { jsonIn, problemWith } from '../kit/reading.ts';
import { setLast } from '../kit/shared.ts';

type Data = Readonly<Record<string, unknown>>;
type Names = Readonly<Record<string, EventDeclaration | undefined>>;

/** Fields by which all events of a call name it. Empty where the call has none yet. */
const names = ['dialogid', 'invitets'] as const;
/** As many calls are remembered as may go on at one time. */
const mostCalls = 2_000;
const unnamed: Data = {};

export const eventsDeclared: OracleMaker = {
  name: 'events-declared',
  rule: 'Each event that an instance publishes, and each that a subscriber hears, has the data that its declaration requires, and no other; all events of a call name the same dialog and the same beginning, and have its inviteid as `cid`.',
  make: ({ check, fail }) => {
    /** The last number that was published, by source and epoch. */
    const last = new Map<string, number>();
    /** The last event that named the call, by inviteid. */
    const calls = new Map<string, Data>();

    const declare = (by: string, of: string, name: string, data: Data) => {
      check();
      const declared = (eventCatalogue as Readonly<Record<string, Names>>)[of]?.[name];
      if (declared === undefined) return fail(`${by} ${of}.${name}, which is not declared`);
      const problem = problemWith(declared.data, data);
      if (problem !== undefined) fail(`${by} ${of}.${name} with ${problem}`);
    };
    const follow = (by: string, { name, data }: PlatformEvent) => {
      const { inviteid, cid } = data;
      if (typeof inviteid !== 'string') return;
      if (cid !== inviteid) fail(`${by} ${name} of ${inviteid} with cid ${cid}`);
      const before = calls.get(inviteid) ?? unnamed;
      const wrong = names.find((field) => before[field] && data[field] && before[field] !== data[field]);
      if (wrong !== undefined)
        fail(`${by} ${name} of ${inviteid} with ${wrong} ${data[wrong]}, before it was ${before[wrong]}`);
      const isNamed = names.every((field) => !data[field] || before[field] === data[field]);
      setLast(calls, inviteid, isNamed ? before : { ...before, ...named(data) }, mostCalls);
    };

    return {
      listeners: {
        'published.items': ({ from, epoch, items }) => {
          const key = `${from} ${epoch}`;
          for (const { n, event } of items) {
            if (n <= (last.get(key) ?? 0)) continue;
            last.set(key, n);
            if (event === undefined) continue;
            declare(`${from} publishes`, event.class, event.name, event.data);
            if (event.class === 'callevents') follow(`${from} publishes`, event);
          }
        },
        'socket.message': ({ site, direction, text }) => {
          if (direction === 'in' || !text.startsWith('["event"')) return;
          const [, body] = jsonIn(text) as [string, { class: string; event: string; data: Data }];
          declare(`a subscriber at ${site} hears`, body.class, body.event, body.data);
        },
      },
    };
  },
};

function named(data: Data): Data {
  return Object.fromEntries(names.flatMap((field) => (data[field] ? [[field, data[field]]] : [])));
}
