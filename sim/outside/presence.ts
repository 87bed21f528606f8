/** Presence of endpoints that faults silence; a machine for each, from its first fault on. */
import { assign, emit, setup } from 'xstate';
import { EntityHost } from '../../src/actors/entity-host.ts';
import type { EndpointContext } from './endpoints/parties.ts';
import { Phone } from './endpoints/phone.ts';
import type { Endpoint } from './endpoints.ts';

export type PresenceEvent = { type: 'silence' } | { type: 'revive' } | { type: 'flap'; everyMs: number };

export type PresenceCommand = { type: 'fall.silent' | 'come.back' } | { type: 'event.unexpected'; event: string };

/** The presence of an endpoint: present, silent, or flapping between the two. */
export const presenceMachine = setup({
  types: {
    context: {} as { readonly everyMs: number },
    events: {} as PresenceEvent,
    emitted: {} as PresenceCommand,
  },
  actions: {
    fallSilent: emit({ type: 'fall.silent' }),
    comeBack: emit({ type: 'come.back' }),
    keepPace: assign({ everyMs: ({ event }) => (event.type === 'flap' ? event.everyMs : 0) }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  delays: { flap: ({ context }) => context.everyMs },
}).createMachine({
  id: 'presence',
  context: { everyMs: 0 },
  initial: 'present',
  on: { '*': { actions: 'unexpected' } },
  states: {
    present: {
      on: {
        silence: { target: 'silent', actions: 'fallSilent' },
        revive: {},
        flap: { target: 'down', actions: ['keepPace', 'fallSilent'] },
      },
    },
    silent: {
      on: {
        silence: {},
        revive: { target: 'present', actions: 'comeBack' },
        flap: { target: 'down', actions: 'keepPace' },
      },
    },
    /** Flapping, silent at present. */
    down: {
      after: { flap: { target: 'up', actions: 'comeBack' } },
      on: {
        silence: 'silent',
        revive: { target: 'present', actions: 'comeBack' },
        flap: { target: 'down', reenter: true, actions: 'keepPace' },
      },
    },
    up: {
      after: { flap: { target: 'down', actions: 'fallSilent' } },
      on: {
        silence: { target: 'silent', actions: 'fallSilent' },
        revive: 'present',
        flap: { target: 'up', reenter: true, actions: 'keepPace' },
      },
    },
  },
});

export class Presences {
  readonly #told = new Map<string, Endpoint>();
  readonly #host: EntityHost<typeof presenceMachine>;

  constructor({ clock, counters, onCrash }: EndpointContext) {
    this.#host = new EntityHost({
      clock,
      counters,
      onCrash,
      machine: presenceMachine,
      onCommand: (endpoint, command) => this.#set(endpoint, command.type === 'fall.silent'),
    });
  }

  tell(target: Endpoint, event: PresenceEvent): void {
    const { endpoint } = target.entry;
    if (!this.#told.has(endpoint)) {
      this.#told.set(endpoint, target);
      this.#host.start(endpoint, undefined);
    }
    this.#host.send(endpoint, event);
  }

  stop(): void {
    this.#host.stopAll();
  }

  /** A revived phone registers at once, like one that is switched on. */
  #set(endpoint: string, isSilent: boolean): void {
    const target = this.#told.get(endpoint);
    if (target === undefined) return;
    target.party.isSilent = isSilent;
    if (!isSilent && target instanceof Phone) target.register();
  }
}
