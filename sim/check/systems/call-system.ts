/**
 * A call through b2b, explored: every message may be lost or reordered, the caller may hang up and the callee may ring,
 * answer, refuse or hang up at any moment. User agents cannot be copied, so a state is the path that leads to it, and
 * is rebuilt from it.
 */

import type { Broken, Explorable, ExploreBound, Move } from '../kit/explore.ts';
import type { ScenarioStep } from '../machine/machine-check.ts';
import { exploreWorld, type SystemReport } from '../system/check-system.ts';
import { CallScene, lineOf, type SipInFlight } from './call-scene.ts';

/** The possible actions, and their names. */
interface Action {
  readonly name: string;
  readonly does: (scene: Played) => void;
}

/** A state: its path, and what the exploration needs to know of it. */
interface CallState {
  readonly path: readonly number[];
  readonly names: readonly string[];
  readonly isBeyond: boolean;
  readonly key: string;
  readonly nowMs: number;
  readonly show: string;
  readonly settled: true | string;
  readonly broken: Broken | undefined;
  readonly commands: readonly { readonly type: string }[];
}

const inFlight = 3;
const losses = 2;
/** Shorter than the first retransmission: a message arrives or is lost. */
const latencyMs = 400;
/** Marks a step without losses in a path, where an action would have its number. */
const healing = -1;

/** Shorter than the session timer of a leg that one side has forgotten. */
const bound: ExploreBound = { depth: 18, states: 4_000, healedWithinMs: 40_000 };

/** From the INVITE; and from the answer, with re-INVITEs of either side. */
export const callSystems = [
  { name: 'dialog+peer', begin: (played: Played) => played.scene.begin() },
  { name: 'dialog+peer-talking', begin: talk },
].map(({ name, begin }) => ({
  name,
  scenario,
  explore: (other: Partial<ExploreBound> = {}): SystemReport =>
    exploreWorld(new CallWorld(begin), { name, inFlight, scenario, stated: bound, bound: { ...bound, ...other } }),
}));

/** Calls, without losses, up to the answer. */
function talk(played: Played): void {
  const { scene } = played;
  scene.begin();
  for (let steps = 0; steps < 40 && scene.legs.a !== 'confirmed'; steps++) {
    if (scene.legs.b === 'incoming') scene.callee('answer');
    heal(played);
  }
  while (scene.messages.length > 0) heal(played);
  played.isHealing = false;
}

/** A scene and its used allowances of losses and actions. */
class Played {
  readonly scene = new CallScene();
  losses = losses;
  hasCallerEnded = false;
  hasCalleeEnded = false;
  hasRung = false;
  offers = 0;
  isHealing = false;

  lose(message: SipInFlight): void {
    this.losses -= 1;
    this.take(message);
  }

  deliver(message: SipInFlight): void {
    this.take(message);
    this.scene.deliver(message);
  }

  take(message: SipInFlight): void {
    this.scene.messages = this.scene.messages.filter((each) => each !== message);
  }

  get key(): string {
    const { losses: left, hasCallerEnded, hasCalleeEnded, hasRung, offers, isHealing } = this;
    return JSON.stringify([this.scene.key, left, hasCallerEnded, hasCalleeEnded, hasRung, offers, isHealing]);
  }
}

function scenario(move: string): readonly ScenarioStep[] {
  if (move === 'start') return [{ dial: { from: 'acme.root.test/1001', to: '1005' } }];
  if (move === 'the caller hangs up') return [{ hangUp: 'acme.root.test/1001' }];
  if (move === 'the callee hangs up' || move === 'the callee refuses') return [{ hangUp: 'acme.root.test/1005' }];
  return move.startsWith('lost: ') ? [{ fault: { loseOutside: { probability: 0.5 } } }] : [];
}

class CallWorld implements Explorable<CallState> {
  /** The last scene, kept to be continued. */
  #played: Played = new Played();
  #path: readonly number[] = [];
  #ordered = 0;
  readonly #begin: (played: Played) => void;

  constructor(begin: (played: Played) => void) {
    this.#begin = begin;
  }

  start(): CallState {
    this.#restart();
    return this.#look([]);
  }

  moves(state: CallState): readonly Move<CallState>[] {
    return state.names.map((name, index) => ({ name, next: () => this.#go([...state.path, index]) }));
  }

  isBeyond({ isBeyond }: CallState): boolean {
    return isBeyond;
  }

  heal(state: CallState): CallState | undefined {
    const next = this.#go([...state.path, healing]);
    return next.nowMs === state.nowMs && next.key === state.key ? undefined : next;
  }

  key({ key }: CallState): string {
    return key;
  }

  broken({ broken }: CallState): Broken | undefined {
    return broken;
  }

  settled({ settled }: CallState): true | string {
    return settled;
  }

  nowMs({ nowMs }: CallState): number {
    return nowMs;
  }

  show({ show }: CallState): string {
    return show;
  }

  commands({ commands }: CallState): readonly { readonly type: string }[] {
    return commands;
  }

  #restart(): void {
    this.#played = new Played();
    this.#begin(this.#played);
    this.#path = [];
  }

  #go(path: readonly number[]): CallState {
    const isNext = this.#path.length < path.length && this.#path.every((step, index) => step === path[index]);
    if (!isNext) this.#restart();
    for (const step of path.slice(this.#path.length)) this.#step(step);
    this.#path = path;
    return this.#look(path);
  }

  #step(step: number): void {
    const played = this.#played;
    this.#ordered = played.scene.bridge.commands.length;
    if (step === healing) heal(played);
    else actionsOf(played)[step]?.does(played);
  }

  #look(path: readonly number[]): CallState {
    const played = this.#played;
    const { scene } = played;
    const names = actionsOf(played).map(({ name }) => name);
    const { a, ma, mb, b } = scene.legs;
    return {
      path,
      names,
      isBeyond: scene.messages.length > inFlight,
      key: played.key,
      nowMs: scene.clock.nowMs,
      show: `caller ${a}, b2b ${ma} | ${scene.bridge.state} | ${mb}, callee ${b}`,
      settled: settledIn(scene),
      broken: brokenIn(scene),
      commands: scene.bridge.commands.slice(this.#ordered).map((type) => ({ type })),
    };
  }
}

/** Without further losses: messages arrive, then the remaining party hangs up, then time passes. */
function heal(played: Played): void {
  const { scene } = played;
  played.isHealing = true;
  const [message] = scene.messages;
  if (message !== undefined) return played.deliver(message);
  scene.clock.fire();
}

function actionsOf(played: Played): Action[] {
  const { scene } = played;
  const { b } = scene.legs;
  const actions: Action[] = [];
  const add = (name: string, does: Action['does']) => actions.push({ name, does });
  if (b === 'incoming' && !played.hasRung) {
    add('the callee rings', (one) => {
      one.hasRung = true;
      one.scene.callee('ring');
    });
  }
  if (b === 'incoming' || b === 'alerting') {
    add('the callee answers', (one) => one.scene.callee('answer'));
    add('the callee refuses', (one) => one.scene.callee('reject'));
  }
  if (!played.hasCalleeEnded && (b === 'answering' || b === 'confirmed')) {
    add('the callee hangs up', (one) => {
      one.hasCalleeEnded = true;
      one.scene.callee('end');
    });
  }
  if (!played.hasCallerEnded && scene.legs.a !== 'none') {
    add('the caller hangs up', (one) => {
      one.hasCallerEnded = true;
      one.scene.caller('end');
    });
  }
  const mayOffer = played.offers < 2 && scene.bridge.state === 'talking';
  for (const side of mayOffer ? (['a', 'b'] as const) : []) {
    if (scene.legs[side] !== 'confirmed') continue;
    add(`the ${side === 'a' ? 'caller' : 'callee'} holds`, (one) => {
      one.offers += 1;
      one.scene.hold(side);
    });
  }
  for (const [index, { to, message }] of scene.messages.entries()) {
    const text = `${to} ← ${lineOf(message)}`;
    const messageOf = (one: Played) => one.scene.messages[index] as SipInFlight;
    add(text, (one) => one.deliver(messageOf(one)));
    if (played.losses > 0) add(`lost: ${text}`, (one) => one.lose(messageOf(one)));
  }
  const due = scene.clock.next();
  const isFree = due !== undefined && scene.messages.every(({ sentMs }) => sentMs + latencyMs >= due.dueMs);
  if (isFree) add(`time of ${due.whose}`, (one) => one.scene.clock.fire());
  return actions;
}

const early = {
  calling: new Set(['calling', 'proceeding', 'ringing']),
  called: new Set(['incoming', 'alerting']),
};

/** All four legs and the call are in the same phase. */
function settledIn({ legs: { a, ma, mb, b }, bridge, messages }: CallScene): true | string {
  if (messages.length > 0) return 'messages are in flight';
  const isTalking = bridge.state === 'talking' && [a, ma, mb, b].every((leg) => leg === 'confirmed');
  const isGone = bridge.state === 'stopped' && [a, ma, mb, b].every((leg) => leg === 'none');
  const isEarly =
    bridge.state === 'forking' &&
    early.calling.has(a) &&
    early.called.has(ma) &&
    early.calling.has(mb) &&
    early.called.has(b);
  return isTalking || isGone || isEarly || 'the legs are not in the same phase';
}

const finals: ReadonlySet<string> = new Set(['leg.failed', 'leg.cancelled', 'leg.ended']);

function brokenIn({ heard, crashes, counters, bridge }: CallScene): Broken | undefined {
  const [crash] = crashes;
  if (crash !== undefined) return { rule: 'nothing throws', detail: crash };
  for (const side of ['a', 'b'] as const) {
    const reports = heard[side];
    const ends = reports.filter((type) => finals.has(type)).length;
    if (ends > 1) return { rule: 'a party gets one end', detail: `${side} got ${reports.join(', ')}` };
    if (ends === 1 && !finals.has(reports.at(-1) ?? ''))
      return { rule: 'a party gets nothing after the end', detail: `${side} got ${reports.join(', ')}` };
    if (reports.filter((type) => type === 'leg.answered').length > 1)
      return { rule: 'a call is answered once', detail: `${side} got ${reports.join(', ')}` };
  }
  for (const command of ['publish.end', 'publish.stop', 'connect']) {
    if (bridge.commands.filter((type) => type === command).length > 1)
      return { rule: 'a call is connected and ended once', detail: `${command} was given twice` };
  }
  const [unexpected] = [...counters.all().keys()].filter((name) => name.startsWith('event.unexpected'));
  return unexpected === undefined ? undefined : { rule: 'no leg gets an unexpected event', detail: unexpected };
}
