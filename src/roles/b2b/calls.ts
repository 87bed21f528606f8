/** The calls of a b2b instance, by their id and by their legs. */

import type { RoleScope } from '../../cluster/role.ts';
import type { CallRequest, Side } from '../../model/protocol/dialog.ts';
import type { Party } from '../../model/sip/message.ts';
import { readTransferToken } from '../../model/sip/message.ts';
import { isoTime } from '../../model/time.ts';
import { randomUuid } from '../../model/uuid.ts';
import type { Call, Origin } from './call.ts';
import type { Hops } from './hops.ts';

export interface LegRef {
  readonly call: Call;
  readonly side: Side;
  /** Number of its fork; none for the leg of an incoming INVITE. */
  readonly fork: number | undefined;
  readonly hop: string;
  /** Nobody leads to its party any more. */
  isLost: boolean;
}

/** What a call is made of. */
export interface Birth {
  readonly origin: Origin;
  readonly acallid: string;
  readonly from: Party;
  readonly to: string;
  readonly order?: CallRequest;
}

export class Calls {
  readonly #scope: RoleScope;
  readonly #hops: Hops;
  readonly #calls = new Map<string, Call>();
  readonly #legs = new Map<string, LegRef>();
  #made = 0;

  constructor(scope: RoleScope, hops: Hops) {
    this.#scope = scope;
    this.#hops = hops;
  }

  get size(): number {
    return this.#calls.size;
  }

  get(dialogid: string): Call | undefined {
    return this.#calls.get(dialogid);
  }

  /** In the order in which they came. */
  all(): IterableIterator<Call> {
    return this.#calls.values();
  }

  create({ origin, acallid, from, to, order }: Birth): Call {
    const { instance, epoch, clock } = this.#scope;
    const startts = Math.floor(clock.now());
    this.#made += 1;
    const n = this.#made;
    const {
      media: offer = 'sendrecv',
      referredBy,
      label = readTransferToken(referredBy?.token)?.label ?? order?.label,
    } = origin.request ?? {};
    const opts = {
      ...(referredBy !== undefined && { 'referred-by': referredBy.uri }),
      ...(label !== undefined && { label }),
    };
    const call: Call = {
      n,
      dialogid: `${instance.srvidx}-${Math.floor(epoch).toString(36)}-${n}`,
      inviteid: origin.request?.inviteid ?? this.#newInviteid(),
      startts,
      invitets: isoTime(startts),
      origin,
      order,
      acallid,
      from,
      to,
      status: 'init',
      answerts: undefined,
      talkMs: 0,
      participations: [],
      domains: [origin.domain],
      opts,
      bindings: [],
      media: { a: offer, b: 'sendrecv' },
      recordings: [],
      rules: undefined,
      a: undefined,
      b: undefined,
      called: undefined,
      legs: new Set(),
      forks: new Map(),
      routes: new Map(),
      isTold: false,
      isGone: false,
      refusal: undefined,
      referred: new Set(),
      left: undefined,
      referrer: undefined,
      listeners: [],
    };
    this.#calls.set(call.dialogid, call);
    return call;
  }

  delete(dialogid: string): void {
    this.#calls.delete(dialogid);
  }

  leg(name: string): LegRef | undefined {
    return this.#legs.get(name);
  }

  addLeg(name: string, ref: Omit<LegRef, 'isLost'>): void {
    this.#legs.set(name, { ...ref, isLost: false });
    ref.call.legs.add(name);
    this.#hops.add(ref.hop, name);
  }

  removeLeg(name: string): void {
    const ref = this.#legs.get(name);
    if (ref === undefined) return;
    this.#legs.delete(name);
    ref.call.legs.delete(name);
    this.#hops.remove(ref.hop, name);
  }

  #newInviteid(): string {
    return randomUuid(this.#scope.random.stream('ids').bytes(16));
  }
}
