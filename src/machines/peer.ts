/**
 * What a node thinks of a peer node, from pings that were answered or missed. It has no context and no timers of its
 * own: the ping round (`runtime/peers.ts`) tells it, so that it can be compiled to a table (`runtime/compiled.ts`).
 */
import { emit, setup } from 'xstate';

export type PeerFact = { type: 'pong.received' } | { type: 'ping.missed' };

/** `connection.doubted`: whatever the connection looks like, a new one should be made. */
export type PeerOrder =
  | { type: 'peer.found' }
  | { type: 'peer.lost' }
  | { type: 'connection.doubted' }
  | { type: 'fact.unexpected'; fact: string };

/**
 * The peer machine for a patience of `misses` missed pongs in a row (1 or more).
 * States: `unknown` (never heard of), `silent1` …, `up`, `missed1` … (still up), `lost`, `lost1` … Its connection is doubted when it
 * is lost, and again after every so many misses: one that is half open looks well for ever.
 */
export function peerMachine(misses: number) {
  const chart = setup({
    types: { events: {} as PeerFact, emitted: {} as PeerOrder },
    actions: {
      reportFound: emit({ type: 'peer.found' }),
      reportLost: emit({ type: 'peer.lost' }),
      doubtConnection: emit({ type: 'connection.doubted' }),
      unexpected: emit(({ event }) => ({ type: 'fact.unexpected', fact: event.type })),
    },
  });
  const onMost = {
    missed: ['reportLost', 'doubtConnection'],
    silent: ['reportLost', 'doubtConnection'],
    lost: ['doubtConnection'],
  } as const;
  const after = (missed: number, state: keyof typeof onMost) =>
    missed < misses ? { target: `${state}${missed}` } : { target: 'lost', actions: onMost[state] };
  const counting = (state: keyof typeof onMost, onPong: object) =>
    Object.fromEntries(
      Array.from({ length: misses - 1 }, (_, i) => [
        `${state}${i + 1}`,
        { on: { 'pong.received': onPong, 'ping.missed': after(i + 2, state) } },
      ]),
    );
  const found = { target: 'up', actions: 'reportFound' as const };
  return chart.createMachine({
    id: 'peer',
    initial: 'unknown',
    on: { '*': { actions: 'unexpected' } },
    states: {
      unknown: { on: { 'pong.received': found, 'ping.missed': after(1, 'silent') } },
      ...counting('silent', found),
      up: { on: { 'pong.received': {}, 'ping.missed': after(1, 'missed') } },
      ...counting('missed', { target: 'up' }),
      lost: { on: { 'pong.received': found, 'ping.missed': after(1, 'lost') } },
      ...counting('lost', found),
    },
  });
}
