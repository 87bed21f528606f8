/** Ways to spoil what a role is made of; planted bugs are put together of them. */

import type { RoleScope } from '../../src/cluster/role.ts';
import type { BodyOf, TellType } from '../../src/model/protocol/catalogue.ts';
import type { SipMessage, SipMethod } from '../../src/model/sip/message.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Store, Stores } from '../../src/ports/store.ts';

/** A scope that loses the messages of a type that `isLost` picks. */
export function losing<T extends TellType>(
  scope: RoleScope,
  type: T,
  isLost: (body: BodyOf<T>, to: string) => boolean,
): RoleScope {
  const tell: RoleScope['tell'] = (to, sentType, body) => {
    if ((sentType as string) === type && isLost(body as never, to)) return;
    scope.tell(to, sentType, body);
  };
  return { ...scope, tell };
}

/** A scope that changes the messages of a type on their way out. */
export function changing<T extends TellType>(
  scope: RoleScope,
  type: T,
  change: (body: BodyOf<T>, to: string) => BodyOf<T>,
): RoleScope {
  const tell: RoleScope['tell'] = (to, sentType, body) =>
    scope.tell(to, sentType, (sentType as string) === type ? (change(body as never, to) as never) : body);
  return { ...scope, tell };
}

/** Whether a SIP message is a request of one of these methods. */
export function isRequest(message: SipMessage, ...methods: SipMethod[]): boolean {
  return message.kind === 'request' && methods.includes(message.method);
}

/** A scope whose timers are forgotten where `isForgotten` picks them by their delay. */
export function forgetting(scope: RoleScope, isForgotten: (delayMs: number) => boolean): RoleScope {
  const { clock } = scope;
  return { ...scope, clock: { ...clockOf(clock), setTimer: (delayMs, fire) => setOrForget(delayMs, fire) } };

  function setOrForget(delayMs: number, fire: () => void) {
    return isForgotten(delayMs) ? { cancel() {} } : clock.setTimer(delayMs, fire);
  }
}

/** Every n-th question is answered with true. */
export function everyNth(n: number): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count % n === 0;
  };
}

/** Picks every n-th of the keys that it is asked about, always the same ones. */
export function everyNthKey(n: number): (key: string) => boolean {
  const isNth = everyNth(n);
  const known = new Map<string, boolean>();
  return (key) => {
    const isPicked = known.get(key) ?? isNth();
    known.set(key, isPicked);
    return isPicked;
  };
}

/** Stores whose stores are spoilt. */
export function spoiltStores(stores: Stores, spoil: (store: Store, name: string) => Partial<Store>): Stores {
  return {
    open: async (name) => {
      const store = await stores.open(name);
      const right: Store = {
        get: (key) => store.get(key),
        write: (changes) => store.write(changes),
        entries: (range) => store.entries(range),
        close: () => store.close(),
      };
      return { ...right, ...spoil(store, name) };
    },
  };
}

function clockOf(clock: Clock): Clock {
  return { now: () => clock.now(), setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire) };
}
