/** Rows of domain data for tests, and a clock that goes on by itself. */
import type { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { entityOf } from '../../src/model/entities/entities.ts';
import { createdItem } from '../../src/model/entities/item.ts';
import type { DataRow } from '../../src/model/protocol/messages/data.ts';
import { namedUuid } from '../../src/model/uuid.ts';

export const acme = 'acme.root.test';

/** The SIP user of a number; `more` is what a client would give beside login and number. */
export function sipUserRow(number: number, more: Record<string, unknown> = {}, atMs = number): DataRow {
  const login = String(number);
  const given = { login, pwd: 'x', phonenumber: login, ...more };
  const id = namedUuid(`row ${number}`);
  return { kind: 'sipuser', domain: acme, item: createdItem(entityOf('sipuser'), id, { given, atMs }) };
}

/** A virtual clock that goes from deadline to deadline while `promise` is under way. */
export async function settle<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const over = () => {
    isSettled = true;
  };
  promise.then(over, over);
  for (let idle = 0; !isSettled && idle < 10; ) {
    await new Promise((resolve) => setImmediate(resolve));
    idle = clock.runNext() ? 0 : idle + 1;
  }
  if (!isSettled) throw new Error('nothing came of it');
  return promise;
}
