/** Calls to numbers of IVR scripts: each runs its script, whose components act on the call. Calls and runs end with the instance. */
import { EntityHost, type Handled } from '../../actors/entity-host.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { type ScriptCallCommand, type ScriptCallEvent, scriptCallMachine } from '../../machines/script/script-call.ts';
import { failed, fault } from '../../model/fault.ts';
import type { ComponentFailure } from '../../model/script/component-failure.ts';
import { type Media, type ReferTo, reasonOf, type SipRequest, statusIn } from '../../model/sip/message.ts';
import { hostOf, userOf } from '../../model/sip/uri.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import { commonEffects, type EffectPorts, scriptFunctions } from '../../scripts/common-effects.ts';
import { type EffectCall, type EffectResult, effectFailure } from '../../scripts/effects.ts';
import { findScriptOf } from '../../scripts/find-script.ts';
import { scriptJournal } from '../../scripts/script-journal.ts';
import { ScriptRuns } from '../../scripts/script-runs.ts';
import type { LegReport } from '../../sip/user-agent.ts';
import type { PlatformAgent } from '../platform-agent.ts';
import { callComponents, type ScriptedCalls } from './call-components.ts';
import { isOfEarlier } from './ivr-calls.ts';
import type { IvrEvents, RunCall } from './ivr-events.ts';

/** A component that acts on a call and is not done. */
type Done = (result: Extract<ScriptCallCommand, { type: 'report.component' }>) => void;

interface ScriptCall {
  readonly domain: string;
  /** Target of the transfer under way, and the re-INVITE before it. */
  referTo: ReferTo;
  referMedia: Media | undefined;
  /** How many times the party has been referred; the last one counts. */
  refers: number;
  /** The number that is called next, and the leg to the one that was called. */
  next: { readonly leg: string; readonly uri: string } | undefined;
  target: string | undefined;
  isPlaying: boolean;
  done: Done | undefined;
}

export interface IvrPorts extends EffectPorts {
  readonly sandbox: Sandbox;
}

type CallParts = IvrPorts & {
  readonly agent: PlatformAgent;
  readonly events: IvrEvents;
  readonly onEnd: () => void;
};

const over = { problem: 'the call is over', code: 'not_found' } as const;
const notInState = { problem: 'the call is not answered, or over', code: 'conflict' } as const;

function newCall(domain: string): ScriptCall {
  const nothing = { referMedia: undefined, next: undefined, target: undefined, done: undefined };
  return { domain, referTo: { uri: '' }, refers: 0, isPlaying: false, ...nothing };
}

export class ScriptCalls {
  readonly journal: ReturnType<typeof scriptJournal>;
  readonly #scope: RoleScope;
  readonly #agent: PlatformAgent;
  readonly #events: IvrEvents;
  readonly #runs: ScriptRuns;
  readonly #entities: EntityHost<typeof scriptCallMachine>;
  /** By the Call-Id of the leg, which is the id of the run too. */
  readonly #calls = new Map<string, ScriptCall>();
  /** Legs to other numbers, and the call whose script has called each. */
  readonly #targets = new Map<string, string>();
  /** The calls whose script has not ended: a call may be over before. */
  readonly #running = new Map<string, RunCall>();
  #isStopped = false;

  constructor(scope: RoleScope, { agent, events, onEnd, sandbox, breakpoints, ...ports }: CallParts) {
    const { clock, counters, crash } = scope;
    this.#scope = scope;
    this.#agent = agent;
    this.#events = events;
    const own = { ...callComponents(scope, this.#scripted), ...commonEffects(scope, ports) };
    const handlers = events.published(own, (leg) => this.#running.get(leg));
    const [functions, findScript] = [scriptFunctions(scope), findScriptOf(scope)];
    this.#runs = new ScriptRuns({ scope, sandbox, handlers, functions, breakpoints, findScript });
    this.journal = scriptJournal(scope, () => this.#runs);
    this.#entities = new EntityHost({
      ...{ machine: scriptCallMachine, clock, counters, onCrash: crash },
      onCommand: (leg, command) => this.#execute(leg, command),
      onEnd: (leg) => {
        this.#report(leg, { type: 'report.component', branch: 'failed', status: 0 });
        const call = this.#calls.get(leg);
        if (call !== undefined) this.#endTarget(call);
        this.#calls.delete(leg);
        onEnd();
      },
    });
  }

  get size(): number {
    return this.#entities.size;
  }

  has(leg: string): boolean {
    return this.#calls.has(leg) || this.#targets.has(leg);
  }

  /** Runs the script for a new leg. Start parameters: the number that calls, the number that is called, the id of the call. */
  start(leg: string, { from, to, inviteid = '' }: SipRequest, code: string): void {
    const domain = hostOf(to.uri);
    if (this.#entities.start(leg, undefined) !== undefined)
      return void this.#agent.control(leg, { type: 'reject', status: 503 });
    const about = { runid: leg, scriptcode: code, domain, from: userOf(from.uri), to: userOf(to.uri), inviteid };
    this.#calls.set(leg, newCall(domain));
    this.#running.set(leg, about);
    this.#events.start(about);
    const params = [about.from, about.to, inviteid];
    const run = { id: leg, kind: 'ivrscript', domain, code, params, requester: { by: 'call' } } as const;
    this.#runs.start(run).then((outcome) => {
      if (this.#isStopped) return;
      this.#running.delete(leg);
      this.#events.stop(about, outcome.ok ? outcome.value : { status: 'failed', problem: outcome.fault.message });
      if (!outcome.ok) this.#scope.log.write('warn', 'script.refused', { domain, code, reason: outcome.fault.message });
      // The end of its call ends a script: that is no failure.
      else if (outcome.value.status === 'failed' && this.#entities.has(leg)) {
        this.#scope.log.write('warn', 'script.failed', { domain, code, problem: outcome.value.problem ?? '' });
      }
      this.#entities.send(leg, { type: 'script.ended' });
    }, this.#scope.crash);
  }

  handle(leg: string, report: LegReport): void {
    if (this.#targets.has(leg)) return this.#hearTarget(leg, report);
    const event = eventOf(report);
    if (event !== undefined && !isOfEarlier(report, this.#calls.get(leg))) this.#entities.send(leg, event);
  }

  /** Ends all calls, and their scripts. */
  endAll(): void {
    for (const leg of [...this.#entities.keys()]) this.#entities.send(leg, { type: 'end.requested' });
  }

  stop(): void {
    this.#isStopped = true;
    this.#entities.stopAll();
    this.#runs.stop();
    this.#calls.clear();
    this.#targets.clear();
    this.#running.clear();
  }

  /** What the components do with the calls of their scripts. */
  get #scripted(): ScriptedCalls {
    return {
      isThere: (leg) => this.#calls.has(leg),
      request: (call, event) => this.#request(call, event),
      play: (leg, file) => this.#play(leg, file),
      setTarget: (leg, referTo, media) => {
        const call = this.#calls.get(leg);
        if (call === undefined) return;
        call.referTo = referTo;
        call.referMedia = media;
      },
      setCalled: (leg, uri) => {
        const target = this.#agent.newLeg();
        const call = this.#calls.get(leg);
        if (call !== undefined) call.next = { leg: target, uri };
        return () => {
          const replaces = this.#agent.view(target)?.replaces;
          return replaces && { uri, replaces };
        };
      },
      record: async (leg, action) => {
        const b2b = this.#agent.view(leg)?.hop;
        if (b2b === undefined) return failed(fault(over.code, over.problem));
        return this.#scope.ask(b2b, 'dialog.command', { dialogid: leg, command: { verb: 'record', action } });
      },
    };
  }

  #play(leg: string, file: string): void {
    const call = this.#calls.get(leg);
    const isTalking = this.#entities.snapshot(leg)?.value === 'talking';
    if (call === undefined || !isTalking || file === '') return;
    call.isPlaying = true;
    this.#agent.control(leg, { type: 'play', plays: file });
  }

  /** Sends the request of a component to its call. Resolves when the machine reports that it is done. */
  #request({ run, component }: EffectCall, event: ScriptCallEvent): Promise<EffectResult> {
    const call = this.#calls.get(run.id);
    if (call === undefined)
      return Promise.resolve(event.type === 'hangup.requested' ? { branch: 'next' } : effectFailure(over));
    const what = event.type === 'call.requested' ? 'call' : 'transfer';
    return new Promise((resolve) => {
      call.done = ({ branch, digits, status = 0 }) => {
        if (branch === 'next') resolve({ branch, ...(digits !== undefined && { value: digits }) });
        else if (branch === 'timeout') resolve({ branch, value: digits ?? noOutcomeOf(component) });
        else resolve(status === 0 ? effectFailure(notInState) : { branch, value: refusal(what, status) });
      };
      this.#entities.send(run.id, event);
    });
  }

  #report(leg: string, result: Parameters<Done>[0]): void {
    const call = this.#calls.get(leg);
    const report = call?.done;
    if (call !== undefined) call.done = undefined;
    report?.(result);
  }

  #refer(leg: string, call: ScriptCall): void {
    const { referTo, referMedia: media } = call;
    call.refers += 1;
    if (media !== undefined) this.#agent.control(leg, { type: 'offer', media });
    const referredBy = { uri: this.#agent.view(leg)?.local.uri ?? referTo.uri };
    this.#agent.control(leg, { type: 'refer', referTo, referredBy, refer: call.refers });
  }

  /** Resumes the party after a transfer that did not succeed. */
  #resume(leg: string, call: ScriptCall): void {
    if (call.referMedia === undefined) return;
    call.referMedia = undefined;
    this.#agent.control(leg, { type: 'offer', media: 'sendrecv' });
  }

  /** Calls another number; a call of the script to a number before ends. */
  #callTarget(leg: string, call: ScriptCall): void {
    const { domain, next } = call;
    this.#endTarget(call);
    const hop = next && this.#agent.hopFor(domain, next.uri);
    if (next === undefined || hop === undefined)
      return void this.#entities.send(leg, { type: 'target.failed', status: 503 });
    call.target = next.leg;
    this.#targets.set(next.leg, leg);
    const from = { uri: this.#agent.view(leg)?.local.uri ?? next.uri };
    this.#agent.call({ callid: next.leg, uri: next.uri, from, to: { uri: next.uri }, hop, domain });
  }

  #endTarget(call: ScriptCall): void {
    if (call.target !== undefined) this.#agent.control(call.target, { type: 'end' });
    call.target = undefined;
  }

  #hearTarget(target: string, report: LegReport): void {
    const leg = this.#targets.get(target) ?? '';
    const isCurrent = this.#calls.get(leg)?.target === target;
    const event = targetEventOf(report);
    if (report.type === 'leg.failed' || report.type === 'leg.ended') this.#targets.delete(target);
    if (isCurrent && event !== undefined) this.#entities.send(leg, event);
  }

  #execute(leg: string, command: Handled<ScriptCallCommand>): void {
    const call = this.#calls.get(leg);
    switch (command.type) {
      case 'answer.leg':
        return void this.#agent.control(leg, { type: 'answer' });
      case 'refer.party':
        return call && this.#refer(leg, call);
      case 'call.target':
        return call && this.#callTarget(leg, call);
      case 'end.target':
        return call && this.#endTarget(call);
      case 'stop.playing':
        if (call?.isPlaying !== true) return;
        call.isPlaying = false;
        return void this.#agent.control(leg, { type: 'play', plays: '' });
      case 'end.leg':
        if (call !== undefined) this.#endTarget(call);
        if (!this.#agent.control(leg, { type: 'end' })) this.#entities.send(leg, { type: 'leg.gone' });
        return;
      case 'drop.leg':
        return void this.#agent.control(leg, { type: 'drop' });
      case 'end.script':
        return this.#runs.end(leg);
      case 'report.component':
        if (command.branch !== 'next' && call !== undefined) this.#resume(leg, call);
        return this.#report(leg, command);
    }
  }
}

function noOutcomeOf(component: string): ComponentFailure {
  return { problem: `${component}: no outcome in time`, code: 'timeout' };
}

function refusal(what: string, status: number): ComponentFailure {
  return { status, problem: `the ${what} failed with ${status} ${reasonOf(status)}`, code: 'refused' };
}

function targetEventOf(report: LegReport): ScriptCallEvent | undefined {
  if (report.type === 'leg.answered') return { type: 'target.answered' };
  return report.type === 'leg.failed' ? { type: 'target.failed', status: report.status } : undefined;
}

function eventOf(report: LegReport): ScriptCallEvent | undefined {
  switch (report.type) {
    case 'leg.answered':
      return { type: 'leg.answered' };
    case 'leg.failed':
    case 'leg.cancelled':
    case 'leg.ended':
      return { type: 'leg.gone' };
    case 'leg.dtmf':
      return { type: 'digit.pressed', digit: report.dtmf };
    case 'leg.refer.answered':
      return report.status < 300 ? undefined : { type: 'refer.ended', status: report.status };
    case 'leg.notified': {
      const status = report.event === 'refer' ? statusIn(report.sipfrag) : undefined;
      return status === undefined || status < 200 ? undefined : { type: 'refer.ended', status };
    }
    default:
      return undefined;
  }
}
