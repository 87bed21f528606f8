/** What people do with their phones: they switch them off and on, hold, transfer and end calls, press digits, and divert them. */

import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { Behaviour } from '../../../src/model/topology/schema.ts';
import type { Timer } from '../../../src/ports/clock.ts';
import { NoRoute, type OutsideWorld } from '../../outside/outside-world.ts';
import { type PhoneEntry, phonesOf } from '../../outside/population.ts';
import { type PhoneAction, phoneActions, type WorkloadPhones } from '../language/workloads.ts';
import {
  drawn,
  OperationCounter,
  oneOf,
  type PartContext,
  PoissonTimer,
  type Tally,
  type WorkloadPart,
} from './tally.ts';

export interface PhonesContext extends PartContext {
  readonly outside: OutsideWorld;
  readonly map: ClusterMap;
}

type Action = (phone: PhoneEntry) => void;

/** What a phone does in a call; the other actions need none. */
const inCalls: ReadonlySet<PhoneAction> = new Set(['hold', 'hangUp', 'transfer', 'press', 'consult']);
/** In half of all actions a phone that is in a call does something. */
const usualMix: Readonly<Record<PhoneAction, number>> = {
  hold: 8,
  hangUp: 8,
  transfer: 8,
  press: 4,
  switch: 3,
  callWhileOff: 6,
  register: 3,
  divert: 3,
  announce: 3,
  call: 3,
  glare: 3,
  dial: 6,
  consult: 6,
};
const longestMs = 6_000;
/** By then most phones have answered, and calls go on. */
const consultMs = 5_000;
/** Where accounts are not reached, so that the next one is called. */
export const refusedNumber = '7*503';
/** In a campaign it is redirected there, by each account. */
export const redirectedNumber = '4930000015';
/** Numbers of no SIP user; outside they answer, or refuse. */
const unknown = ['7042', '4930000001', '4930000012', '7*302', '7*404', '7*486', refusedNumber, '7*603'];
/** By then every sr instance knows that a phone is off. */
const knownMs = 2_500;

export class PhonesPart implements WorkloadPart {
  readonly #context: PhonesContext;
  readonly #phones: readonly PhoneEntry[];
  readonly #mix: readonly (readonly [PhoneAction, number])[];
  readonly #counter = new OperationCounter('actions of phones');
  readonly #timer: PoissonTimer;
  /** What must be undone, with the timers that will. */
  readonly #undo = new Map<() => void, Timer>();

  constructor({ rate, mix = usualMix }: WorkloadPhones, context: PhonesContext) {
    this.#context = context;
    this.#mix = phoneActions.map((action) => [action, mix[action] ?? 0]);
    this.#phones = phonesOf(context.map);
    this.#timer = new PoissonTimer(rate, context, () => this.#begin());
  }

  start(): void {
    this.#timer.start();
  }

  /** Phones that are off are switched on, and diversions end. */
  stop(): void {
    this.#timer.stop();
    for (const [undo, timer] of this.#undo) {
      timer.cancel();
      undo();
    }
    this.#undo.clear();
  }

  tallies(): Tally[] {
    return [this.#counter.report()];
  }

  #begin(): void {
    const { random } = this.#context;
    const action = drawn(this.#mix, random);
    if (action === undefined) return;
    const phone = (inCalls.has(action) ? oneOf(this.#talking(), random) : undefined) ?? oneOf(this.#phones, random);
    if (phone === undefined) return;
    this.#counter.started += 1;
    this.#actions[action](phone);
    this.#counter.acknowledged += 1;
  }

  readonly #actions: Readonly<Record<PhoneAction, Action>> = {
    hold: ({ name }) => {
      this.#context.outside.hold(name);
      this.#later(() => this.#context.outside.talk(name));
    },
    hangUp: ({ name }) => this.#context.outside.hangUp(name),
    transfer: (phone) => this.#transfer(phone),
    press: ({ name }) => this.#context.outside.press(name, String(this.#context.random.integer(0, 99))),
    switch: ({ name }) => {
      const { outside } = this.#context;
      outside.unregister(name);
      this.#later(() => outside.register(name));
    },
    callWhileOff: (phone) => this.#callWhileOff(phone),
    register: ({ name }) => this.#context.outside.register(name),
    divert: (phone) => this.#divert(phone),
    announce: (phone) => this.#announce(phone),
    call: (phone) => this.#call(phone),
    glare: (phone) => {
      // Both call each other at once.
      const other = oneOf(this.#others(phone), this.#context.random);
      this.#call(phone, other);
      if (other !== undefined) this.#call(other, phone);
    },
    dial: (phone) => this.#dial(phone),
    consult: (phone) => this.#consult(phone),
  };

  #talking(): PhoneEntry[] {
    const views = new Map(this.#context.outside.phones().map((view) => [view.name, view]));
    return this.#phones.filter(({ name }) => views.get(name)?.calls.some(({ state }) => state === 'talking'));
  }

  /** A phone is switched off, and called when every instance must know that it is. */
  #callWhileOff(phone: PhoneEntry): void {
    const { clock, outside, random } = this.#context;
    const register = () => outside.register(phone.name);
    outside.unregister(phone.name);
    this.#later(register, 2 * longestMs);
    clock.setTimer(random.integer(knownMs, longestMs), () => {
      if (this.#undo.has(register)) this.#call(oneOf(this.#others(phone), random) ?? phone, phone);
    });
  }

  #transfer(phone: PhoneEntry): void {
    const { outside, random } = this.#context;
    const [view] = outside.phones(phone.name);
    const call = oneOf(view?.calls.filter(({ state }) => state === 'talking') ?? [], random);
    const to = oneOf(this.#others(phone), random);
    if (view === undefined || call === undefined || to === undefined) return;
    outside.transfer({ endpoint: view.endpoint, callid: call.callid }, `sip:${to.user.phonenumber}@${to.domain}`);
  }

  /** A phone in a call calls another one, and when that has answered it transfers the call to it (attended transfer). */
  #consult(phone: PhoneEntry): void {
    const { clock, outside, random } = this.#context;
    const to = oneOf(this.#others(phone), random);
    const first = this.#callIn(phone);
    const second = to === undefined ? undefined : this.#place(phone, to.user.phonenumber);
    if (to === undefined || first === undefined || second === undefined) return;
    const uri = `sip:${to.user.phonenumber}@${to.domain}`;
    clock.setTimer(random.integer(consultMs / 2, consultMs), () => {
      const [view] = outside.phones(phone.name);
      const talking = view?.calls.filter(({ state }) => state === 'talking').map(({ callid }) => callid) ?? [];
      if (view === undefined || ![first, second].every((callid) => talking.includes(callid))) return;
      outside.transfer({ endpoint: view.endpoint, callid: first }, uri, second);
    });
  }

  #callIn(phone: PhoneEntry): string | undefined {
    const [view] = this.#context.outside.phones(phone.name);
    return oneOf(view?.calls.filter(({ state }) => state === 'talking') ?? [], this.#context.random)?.callid;
  }

  #divert(phone: PhoneEntry): void {
    const { outside, map, random } = this.#context;
    const { domain, user } = phone;
    const to = oneOf(this.#others(phone), random)?.user.phonenumber;
    const ways: readonly Behaviour[] = [
      { reject: 486 },
      { ringMs: 500, reject: 603 },
      { ringMs: 100, answerMs: 200, hangupMs: 300 },
      { silent: true },
      ...(to === undefined ? [] : [{ redirect: to }]),
    ];
    outside.behave(domain, user.phonenumber, oneOf(ways, random));
    this.#later(() => outside.behave(domain, user.phonenumber, map.domains.get(domain)?.numbers[user.phonenumber]));
  }

  /** A phone is called while an announcement plays in its place, which an audio matcher may know. */
  #announce(phone: PhoneEntry): void {
    const { outside, map, random } = this.#context;
    const { domain, user } = phone;
    const { samples, matchMs } = map.topology.matcher;
    const announcement = oneOf([...samples, 'not-a-sample'], random) ?? 'not-a-sample';
    const caller = oneOf(this.#others(phone), random);
    if (caller === undefined) return;
    outside.behave(domain, user.phonenumber, { announcement, ringMs: 2 * matchMs, reject: 404 });
    this.#later(
      () => outside.behave(domain, user.phonenumber, map.domains.get(domain)?.numbers[user.phonenumber]),
      longestMs,
    );
    this.#call(caller, phone);
  }

  /** Numbers that are not assigned, which may lead outside; of a room, and too short for one; of another domain, where some are known. */
  #dial(phone: PhoneEntry): void {
    const { random, map } = this.#context;
    const other = oneOf(
      this.#phones.filter(({ domain }) => domain !== phone.domain),
      random,
    );
    const { features = [], providers = [] } = map.domains.get(phone.domain) ?? {};
    const rooms = features.flatMap(({ prefix }) => [`${prefix}0${random.integer(0, 9)}`, `${prefix}0`]);
    const elsewhere = other === undefined ? [] : [other.user.phonenumber, ...unknown];
    // Of the accounts one after the other, each redirects a call.
    const redirected = providers.length > 1 ? [redirectedNumber] : [];
    const kinds = [unknown, rooms, redirected, elsewhere.map((number) => `${number}@${other?.domain}`)];
    const numbers = oneOf(
      kinds.filter((kind) => kind.length > 0),
      random,
    );
    const number = oneOf(numbers ?? [], random) ?? '';
    // Some give up at once, while it is looked for where the room is.
    const isBrief = rooms.includes(number) && random.float() < 0.4;
    this.#place(phone, number, isBrief ? random.integer(2, 80) : longestMs);
  }

  #call(phone: PhoneEntry, other = oneOf(this.#others(phone), this.#context.random)): void {
    if (other !== undefined) this.#place(phone, other.user.phonenumber, this.#context.random.integer(20, 4_000));
  }

  /** The Call-Id, if the phone has a gate. */
  #place(phone: PhoneEntry, number: string, patienceMs = longestMs): string | undefined {
    try {
      return this.#context.outside.call(phone.name, number, { patienceMs, hangupMs: longestMs }).callid;
    } catch (error) {
      if (!(error instanceof NoRoute)) throw error;
      return undefined;
    }
  }

  /** Phones of other users of the domain. */
  #others({ domain, user }: PhoneEntry): PhoneEntry[] {
    return this.#phones.filter((each) => each.domain === domain && each.user.login !== user.login);
  }

  #later(undo: () => void, ms = this.#context.random.integer(500, longestMs)): void {
    const timer = this.#context.clock.setTimer(ms, () => {
      this.#undo.delete(undo);
      undo();
    });
    this.#undo.set(undo, timer);
  }
}
