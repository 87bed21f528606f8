/**
 * The calls of a b2b instance, by id and by leg; their machines, and the user agent that has the legs. A machine owns the state of
 * a call: what is shown of it is read from there.
 */
import { EntityHost, type Handled } from '../../actors/entity-host.ts';
import { ExpiringMap } from '../../actors/expiring-map.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { dialogMachine } from '../../machines/call/dialog.ts';
import type { DialogCommand, DialogEvent } from '../../machines/call/dialog-events.ts';
import { type RecordingEvent, recordingMachine } from '../../machines/call/recording.ts';
import { type TransferCommand, type TransferEvent, transferMachine } from '../../machines/call/transfer.ts';
import { sipTimings } from '../../machines/sip/sip-timers.ts';
import { limits } from '../../model/limits.ts';
import type { DialogStatus, Side } from '../../model/protocol/messages/dialog.ts';
import type { RecordingList } from '../../model/recording/recording.ts';
import { callIdsOf, type Media, type SipMessage, type SipRequest } from '../../model/sip/message.ts';
import type { StreamSource } from '../../replication/stream-source.ts';
import { type LegReport, UserAgent } from '../../sip/user-agent.ts';
import { CallAnnouncements } from './announcements.ts';
import { Authentication } from './authentication.ts';
import { Call, type CallInit } from './call.ts';
import { CallEvents } from './call-events.ts';
import { ConcurrentCalls } from './concurrent-calls.ts';
import { Hops } from './hops.ts';
import { RouteLookup } from './routing/route-lookup.ts';

export interface LegRef {
  readonly call: Call;
  readonly side: Side;
  /** Number of its fork; none for the leg of an incoming INVITE. */
  readonly fork: number | undefined;
  readonly hop: string;
  /** The instance to which its INVITE was sent last. */
  invitedAt?: string;
}

/** What is done with what the agent reports and the machines command. */
export interface CallHandlers {
  readonly onReport: (calls: Calls, leg: string, report: LegReport) => void;
  /** A request that belongs to no call: REGISTER, OPTIONS. */
  readonly onRequest: (calls: Calls, request: SipRequest) => void;
  readonly onCommand: (calls: Calls, call: Call, command: Handled<DialogCommand>) => void;
  readonly onTransfer: (calls: Calls, call: Call, command: Handled<TransferCommand>) => void;
}

export class Calls {
  readonly scope: RoleScope;
  readonly agent: UserAgent;
  readonly authentication: Authentication;
  readonly routeLookup: RouteLookup;
  readonly concurrentCalls: ConcurrentCalls;
  readonly events: CallEvents;
  readonly announcements: CallAnnouncements;
  readonly #handlers: CallHandlers;
  readonly #hops: Hops;
  readonly #calls = new Map<string, Call>();
  readonly #legs = new Map<string, LegRef>();
  /** Of legs that have ended: where their INVITE was sent. Their CANCEL may be sent again. */
  readonly #invited: ExpiringMap<string>;
  readonly #dialogs: EntityHost<typeof dialogMachine>;
  /** Only calls that are transferred or recorded have a machine for that. */
  readonly #transfers: EntityHost<typeof transferMachine>;
  readonly #recordings: EntityHost<typeof recordingMachine>;
  #isOpen = true;
  #made = 0;
  #onEmpty: (() => void) | undefined;

  constructor(scope: RoleScope, source: StreamSource, handlers: CallHandlers) {
    const { instance, clock, counters } = scope;
    this.scope = scope;
    this.#handlers = handlers;
    this.concurrentCalls = new ConcurrentCalls(scope, (callid) => this.leg(callid));
    this.authentication = new Authentication(scope);
    this.routeLookup = new RouteLookup(scope, this.authentication, this.concurrentCalls);
    this.events = new CallEvents(source, { site: instance.site, b2b: instance.address }, this);
    this.announcements = new CallAnnouncements(scope);
    this.#invited = new ExpiringMap(clock, sipTimings.patienceMs, limits.dialogs);
    this.#hops = new Hops(scope, (leg) => this.agent.lose(leg));
    this.agent = this.#makeAgent();
    const common = { clock, counters, limit: limits.dialogs, onCrash: (error: unknown) => this.#crash(error) };
    this.#dialogs = new EntityHost({
      ...{ ...common, machine: dialogMachine },
      onCommand: (id, command) => this.#with(id, (call) => handlers.onCommand(this, call, command)),
      onEnd: (id) => this.#forget(id),
    });
    this.#transfers = new EntityHost({
      ...{ ...common, machine: transferMachine },
      onCommand: (id, command) => this.#with(id, (call) => handlers.onTransfer(this, call, command)),
    });
    this.#recordings = new EntityHost({
      ...{ ...common, machine: recordingMachine },
      onCommand: (id) => this.#with(id, (call) => this.events.changed(call)),
    });
  }

  /** Whether new calls are taken. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  close(): void {
    this.#isOpen = false;
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

  /** Makes a call and keeps it. It has no legs yet, and its machine is not started (`begin`). */
  create(init: CallInit): Call {
    this.#made += 1;
    const call = new Call(this.scope, this.#made, init);
    this.#calls.set(call.dialogid, call);
    this.setMedia(call, 'a', init.origin.request?.media ?? 'sendrecv');
    return call;
  }

  /** Starts the machine of a new call. False: there is no room, and the call is forgotten. */
  begin({ dialogid, request, origin }: Call): boolean {
    const input = { isOriginated: request !== undefined, isProven: !origin.mustProve };
    if (this.#dialogs.start(dialogid, input) === undefined) return true;
    this.#calls.delete(dialogid);
    return false;
  }

  /** Sends an event to the machine of a call. */
  send({ dialogid }: Call, event: DialogEvent): void {
    this.#dialogs.send(dialogid, event);
  }

  /** What lists show as its status. */
  statusOf({ dialogid }: Call): DialogStatus {
    const state = this.#dialogs.snapshot(dialogid)?.value;
    if (state === 'forking') return 'forking';
    if (state === 'talking') return 'dialog';
    return typeof state === 'object' ? 'ending' : 'init';
  }

  /** Whether lists show it: its caller is known, and it has legs that are not over. */
  isListed({ dialogid }: Call): boolean {
    const snapshot = this.#dialogs.snapshot(dialogid);
    if (snapshot === undefined) return false;
    const { isPublished, isProven } = snapshot.context;
    return (isPublished || isProven) && !snapshot.matches('over.closing');
  }

  leg(name: string): LegRef | undefined {
    return this.#legs.get(name);
  }

  addLeg(name: string, ref: LegRef): void {
    this.#legs.set(name, ref);
    ref.call.addLeg(name);
    this.#hops.add(ref.hop, name);
  }

  removeLeg(name: string): void {
    const ref = this.#legs.get(name);
    if (ref === undefined) return;
    this.#legs.delete(name);
    this.announcements.over(name);
    ref.call.removeLeg(name);
    this.#hops.remove(ref.hop, name);
    if (ref.invitedAt !== undefined && ref.invitedAt !== ref.hop) this.#invited.set(name, ref.invitedAt);
  }

  /** Whether a call can be transferred like that now: one transfer at a time. */
  canTransfer({ dialogid }: Call, event: TransferEvent): boolean {
    return this.#transfers.snapshot(dialogid)?.can(event) ?? true;
  }

  /** Whether a call is, or was, being transferred. */
  hasTransfer({ dialogid }: Call): boolean {
    return this.#transfers.has(dialogid);
  }

  transfer({ dialogid }: Call, event: TransferEvent): void {
    if (!this.#transfers.has(dialogid)) this.#transfers.start(dialogid, undefined);
    this.#transfers.send(dialogid, event);
  }

  recordingsOf({ dialogid }: Call): RecordingList {
    return this.#recordings.snapshot(dialogid)?.context.recordings ?? [];
  }

  isRecording({ dialogid }: Call): boolean {
    return this.#recordings.snapshot(dialogid)?.value === 'on';
  }

  record({ dialogid }: Call, event: RecordingEvent): void {
    if (!this.#recordings.has(dialogid)) this.#recordings.start(dialogid, { dialogid });
    this.#recordings.send(dialogid, event);
  }

  /** What a party sends and takes from now on; its recording notes which party is heard. */
  setMedia(call: Call, side: Side, media: Media): void {
    if (!call.setMedia(side, media) || !this.#recordings.has(call.dialogid)) return;
    this.record(call, { type: 'heard.changed', atMs: Math.floor(this.scope.clock.now()), heard: call.heard });
  }

  /** Resolves when no call is left, or the time is over. */
  whenEmpty(withinMs: number): Promise<void> {
    if (this.#calls.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.scope.clock.setTimer(withinMs, resolve);
      this.#onEmpty = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  /** Publishes that the calls that have not ended are dead. */
  publishDead(reason: string): void {
    for (const call of this.#calls.values()) {
      if (!this.isListed(call)) continue;
      if (this.#dialogs.snapshot(call.dialogid)?.context.isPublished === false) this.events.invite(call);
      this.events.dead(call, reason);
    }
  }

  stop(): void {
    for (const host of [this.#dialogs, this.#transfers, this.#recordings]) host.stopAll();
    this.agent.stop();
    this.#invited.clear();
  }

  #makeAgent(): UserAgent {
    const { instance, clock, random, counters, map, crash } = this.scope;
    return new UserAgent({
      sentBy: instance.address,
      host: instance.name,
      clock,
      random: random.stream('ids'),
      counters,
      userAgent: 'strowger b2b',
      send: (message, hop) => this.#sendMessage(message, hop),
      isLossy: (hop) => this.#hops.isLossy(hop),
      session: { does: 'watch', expiresMs: map.topology.timings.sessionExpiresMs },
      onReport: (leg, report) => this.#handlers.onReport(this, leg, report),
      onRequest: (request) => this.#handlers.onRequest(this, request),
      onCrash: crash,
    });
  }

  /** Every message that b2b sends carries the id of its call, and its provider account: an edge that has started again knows neither. */
  #sendMessage(message: SipMessage, hop: string): void {
    const ref = this.#legs.get(message.callid);
    // Where the INVITE has gone (RFC 3261, 9.1): another gate may have stood in for a moment.
    const to = message.method === 'CANCEL' ? (ref?.invitedAt ?? this.#invited.get(message.callid) ?? hop) : hop;
    const route = this.#hops.routeFor(message, to);
    if (route === undefined) return this.scope.counters.add('b2b.no_route');
    const isInvite = message.kind === 'request' && message.method === 'INVITE' && message.to.tag === undefined;
    if (isInvite && ref !== undefined) ref.invitedAt = route;
    if (message.inviteid !== undefined || ref === undefined) return this.scope.tell(route, 'sip', message);
    const { inviteid } = ref.call;
    // A response may have gone out before, without the id: what was sent is not changed.
    if (message.kind === 'response') {
      const ids = callIdsOf({ inviteid, account: this.agent.accountOf(message.callid) });
      return this.scope.tell(route, 'sip', { ...message, ...ids });
    }
    message.inviteid = inviteid;
    return this.scope.tell(route, 'sip', message);
  }

  #with(dialogid: string, execute: (call: Call) => void): void {
    const call = this.#calls.get(dialogid);
    if (call !== undefined) execute(call);
  }

  #forget(dialogid: string): void {
    this.#calls.delete(dialogid);
    this.concurrentCalls.release(dialogid);
    this.#transfers.send(dialogid, { type: 'call.gone' });
    this.#recordings.send(dialogid, { type: 'call.gone' });
    if (this.#calls.size === 0) this.#onEmpty?.();
  }

  #crash(error: unknown): void {
    this.publishDead('a bug');
    this.scope.crash(error);
  }
}
