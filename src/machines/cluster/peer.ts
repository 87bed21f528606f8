/**
 * The state of a peer node, from answered and missed pings. The machine has no context and no timers: the ping round
 * (`cluster/membership/peers.ts`) sends its events, so that it can be compiled to a table (`actors/compiled-machine.ts`).
 */
import { emit, setup } from 'xstate';

export type PeerEvent = { type: 'pong.received' } | { type: 'ping.missed' };

/** `connection.doubted`: the connection should be replaced, even if it looks open. */
export type PeerCommand =
  | { type: 'peer.found' }
  | { type: 'peer.lost' }
  | { type: 'connection.doubted' }
  | { type: 'event.unexpected'; event: string };

/**
 * The peer machine that tolerates `misses` - 1 missed pongs in a row (`misses` >= 1). States: `unknown` (no pong yet),
 * `up`, `lost`; nested states count the misses in a row: `up.0`, `up.1` … The connection is doubted when the peer is lost,
 * and again after every `misses` misses: a half-open connection looks open for ever.
 */
export function peerMachine(misses: number) {
  const chart = setup({
    types: { events: {} as PeerEvent, emitted: {} as PeerCommand },
    actions: {
      reportFound: emit({ type: 'peer.found' }),
      reportLost: emit({ type: 'peer.lost' }),
      doubtConnection: emit({ type: 'connection.doubted' }),
      unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
    },
  });
  type Action = 'reportLost' | 'doubtConnection';
  const counting = (...atMost: Action[]) => ({
    initial: '0',
    states: Object.fromEntries(
      Array.from({ length: misses }, (_, missed) => {
        const isMost = missed + 1 === misses;
        const next = isMost ? { target: '#peer.lost', actions: atMost } : { target: `${missed + 1}` };
        return [`${missed}`, { on: { 'ping.missed': next } }];
      }),
    ),
  });
  const found = { target: 'up', actions: 'reportFound' as const };
  return chart.createMachine({
    id: 'peer',
    initial: 'unknown',
    on: { '*': { actions: 'unexpected' } },
    states: {
      unknown: { ...counting('reportLost', 'doubtConnection'), on: { 'pong.received': found } },
      up: { ...counting('reportLost', 'doubtConnection'), on: { 'pong.received': '.0' } },
      lost: { ...counting('doubtConnection'), on: { 'pong.received': found } },
    },
  });
}
