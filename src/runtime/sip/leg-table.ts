/** The table of the leg machine, compiled once for all agents. */

import { type Compiled, compile } from '../../actors/compiled-machine.ts';
import { type LegCommand, type LegEvent, legMachine } from '../../machines/leg.ts';

/** Every event; the compiler sees to it that none is missing. */
const names: Readonly<Record<LegEvent['type'], true>> = {
  call: true,
  ring: true,
  answer: true,
  reject: true,
  end: true,
  drop: true,
  offer: true,
  request: true,
  reply: true,
  'invite.received': true,
  'invite.tried': true,
  'invite.rang': true,
  'invite.accepted': true,
  'invite.refused': true,
  'cancel.received': true,
  'ack.received': true,
  'ack.missed': true,
  'bye.received': true,
  'bye.answered': true,
  'offer.received': true,
  'offer.accepted': true,
  'offer.clashed': true,
  'offer.refused': true,
  'request.received': true,
  'request.answered': true,
  'request.lost': true,
  'session.lapsed': true,
};

export const legEvents: readonly LegEvent[] = Object.keys(names).map((type) => ({ type: type as LegEvent['type'] }));

let table: Compiled<LegEvent, LegCommand> | undefined;

export function legTable(): Compiled<LegEvent, LegCommand> {
  table ??= compile(legMachine, legEvents);
  return table;
}
