/**
 * What a node thinks of a peer node, from pings that were answered or missed. It has no context and no timers of its
 * own: the ping round (`runtime/peers.ts`) tells it, so that it can be compiled to a table (`runtime/compiled.ts`).
 */
import { emit, setup } from 'xstate';

export type PeerEvent = { type: 'pong.received' } | { type: 'ping.missed' };

/** `connection.doubted`: whatever the connection looks like, a new one should be made. */
export type PeerCommand =
  | { type: 'peer.found' }
  | { type: 'peer.lost' }
  | { type: 'connection.doubted' }
  | { type: 'event.unexpected'; event: string };

/**
 * The peer machine for a patience of `misses` missed pongs in a row (1 or more). States: `unknown` (never heard of), `up`, `lost`;
 * within each the pongs missed in a row, `up.0`, `up.1` …: who has missed a few is still up. The connection is doubted when the peer
 * is lost, and again after every so many misses: one that is half open looks well for ever.
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
