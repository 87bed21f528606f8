/** Executes the components that act on the call of an IVR script: reads their fields, and requests what they want of the call. */
import { askRole } from '../../cluster/messaging/ask-in-order.ts';
import { activeDirectory, type RoleScope } from '../../cluster/role.ts';
import type { ScriptCallEvent } from '../../machines/script/script-call.ts';
import { parkingFile, type StoredFile, soundFileAt } from '../../model/entities/stored-file.ts';
import { type Fault, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import { destinationOf } from '../../model/numbers/destination.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import { scriptMessages } from '../../model/protocol/messages/script.ts';
import { wavHeaderBytes, wavRate } from '../../model/recording/wav.ts';
import type { Media, ReferTo, Replaces } from '../../model/sip/message.ts';
import { sipUri } from '../../model/sip/uri.ts';
import {
  type EffectCall,
  type EffectHandlers,
  type EffectResult,
  effectFailure,
  faultyEffect,
  invalidEffect,
} from '../../scripts/effects.ts';

type RecordReply = ReplyOf<'dialog.command'>;

/** The calls of scripts, by the id of the run. */
export interface ScriptedCalls {
  /** Whether the call is not over. */
  isThere(run: string): boolean;
  /** Sends the request of a component to its call. Resolves when its machine reports that it is done. */
  request(call: EffectCall, event: ScriptCallEvent): Promise<EffectResult>;
  /** Plays a file to the party, where the call is answered. */
  play(run: string, file: string): void;
  /** Sets the target of the next REFER, and the re-INVITE that comes before it. */
  setTarget(run: string, referTo: ReferTo, media?: Media): void;
  /** Sets the number that is called next; returns what names that call. */
  setCalled(run: string, uri: string): () => { readonly uri: string; readonly replaces: Replaces } | undefined;
  /** Starts or ends the recording of the call at its b2b. */
  record(run: string, action: 'start' | 'stop'): Promise<Outcome<RecordReply>>;
}

export function callComponents(scope: RoleScope, calls: ScriptedCalls): EffectHandlers {
  const components = new CallComponents(scope, calls);
  return {
    operation: (call) => components.operation(call),
    answer: (call) => calls.request(call, { type: 'answer.requested' }),
    hangup: (call) => calls.request(call, { type: 'hangup.requested' }),
    play: (call) => components.play(call),
    menu: (call) => components.menu(call),
    record: (call) => components.record(call),
    call: (call) => components.call(call),
    refer: (call) => components.refer(call),
    transfer: (call) => components.transfer(call),
    conference: (call) => components.conference(call),
  };
}

const referMedia: readonly (Media | undefined)[] = [undefined, 'sendonly', 'sendonly', 'inactive'];

class CallComponents {
  readonly #scope: RoleScope;
  readonly #calls: ScriptedCalls;

  constructor(scope: RoleScope, calls: ScriptedCalls) {
    this.#scope = scope;
    this.#calls = calls;
  }

  async operation({ run, ...call }: EffectCall): Promise<EffectResult> {
    const { domain } = run;
    const { deadlineMs } = scriptMessages['script.operation'];
    const question = {
      type: 'script.operation',
      body: { run, ...call, values: { ...call.values } },
      deadlineMs: this.#scope.clock.now() + deadlineMs,
    } as const;
    const answer = await askRole(this.#scope, { role: 'mware', domain }, question);
    return answer.ok ? answer.value : faultyEffect(answer.fault);
  }

  async play(call: EffectCall): Promise<EffectResult> {
    const { file, interrupt } = call.values;
    const given = secondsIn(call, 0);
    if (typeof given === 'string') return invalidEffect(given);
    const lengthMs = await this.#lengthOf(call, String(file));
    if (typeof lengthMs !== 'number') return lengthMs;
    this.#calls.play(call.run.id, String(file));
    const ms = given === 0 ? lengthMs : given * 1_000;
    return this.#calls.request(call, { type: 'play.requested', ms, isInterruptible: interrupt === true });
  }

  async menu(call: EffectCall): Promise<EffectResult> {
    const { file, digits: count, end } = call.values;
    const given = secondsIn(call, 1);
    if (typeof given === 'string') return invalidEffect(given);
    const lengthMs = await this.#lengthOf(call, String(file));
    if (typeof lengthMs !== 'number') return lengthMs;
    this.#calls.play(call.run.id, String(file));
    const request = { type: 'digits.requested', count: Number(count), end: String(end), ms: given * 1_000 } as const;
    return this.#calls.request(call, request);
  }

  /** A recording that was under way goes on afterwards. */
  async record(call: EffectCall): Promise<EffectResult> {
    const { run, values } = call;
    const given = secondsIn(call, 1);
    if (typeof given === 'string') return invalidEffect(given);
    const started = await this.#calls.record(run.id, 'start');
    if (!started.ok) return failureOf(started.fault);
    const request = { type: 'record.requested', ms: given * 1_000, end: String(values['end']) } as const;
    const { branch, value } = await this.#calls.request(call, request);
    const { recording } = started.value;
    if (recording?.isNew === true) await this.#calls.record(run.id, 'stop');
    if (branch !== 'next') return { branch, value };
    return { branch, value: { inviteid: recording?.inviteid, name: recording?.name, digit: value ?? '' } };
  }

  async call(call: EffectCall): Promise<EffectResult> {
    const given = secondsIn(call, 1, limits.longestRingMs / 1_000);
    if (typeof given === 'string') return invalidEffect(given);
    const uri = this.#uriOf(call);
    if (uri === undefined) return invalidEffect(targetWanted);
    const called = this.#calls.setCalled(call.run.id, uri);
    const result = await this.#calls.request(call, { type: 'call.requested', ms: given * 1_000 });
    const view = result.branch === 'next' ? called() : undefined;
    if (view === undefined) return result;
    const { callid, toTag: totag, fromTag: fromtag } = view.replaces;
    return { branch: 'next', value: { uri: view.uri, callid, totag, fromtag } };
  }

  async refer(call: EffectCall): Promise<EffectResult> {
    const uri = this.#uriOf(call);
    return uri === undefined ? invalidEffect(targetWanted) : this.#refer(call, { uri });
  }

  async transfer(call: EffectCall): Promise<EffectResult> {
    const { callid, totag, fromtag } = call.values;
    const uri = this.#uriOf(call);
    if (uri === undefined) return invalidEffect(targetWanted);
    const texts = Object.entries({ callid, totag, fromtag });
    const [wrong] = texts.find(([, value]) => typeof value !== 'string' || value.length > limits.textChars) ?? [];
    if (wrong !== undefined) return invalidEffect(`${wrong}: expected a text`);
    const replaces = { callid: String(callid), toTag: String(totag), fromTag: String(fromtag) };
    return this.#refer(call, { uri, replaces });
  }

  async conference(call: EffectCall): Promise<EffectResult> {
    const { domain } = call.run;
    const to = call.values['to'];
    if (to !== '') {
      const uri = this.#uriOf(call, typeof to === 'string' && /^\d+-\d+$/.test(to) ? `conf-${to}` : to);
      return uri === undefined ? invalidEffect(targetWanted) : this.#refer(call, { uri });
    }
    const deadlineMs = this.#scope.clock.now() + this.#scope.map.topology.timings.requestDeadlineMs;
    const body: BodyOf<'conference.create'> = { domain };
    const question = { type: 'conference.create', body, deadlineMs } as const;
    const made = await askRole(this.#scope, { role: 'conf', domain }, question);
    if (!made.ok) return failureOf(made.fault);
    const { confid } = made.value;
    const result = await this.#refer(call, { uri: sipUri(`conf-${confid}`, domain) });
    if (result.branch === 'next') return { branch: 'next', value: { confid } };
    // A party that has left the call, or whose transfer goes on, may be on its way into the conference.
    if (result.branch === 'failed' && this.#calls.isThere(call.run.id)) this.#endConference(confid);
    return result;
  }

  /** Ends a conference without participants; does not wait for its end. */
  #endConference(confid: string): void {
    const home = this.#scope.map.instanceNamed(`conf-${confid.split('-')[0]}`);
    if (home !== undefined) void this.#scope.ask(home.address, 'conference.end', { confid });
  }

  #refer(call: EffectCall, referTo: ReferTo): Promise<EffectResult> {
    this.#calls.setTarget(call.run.id, referTo, referMedia[Number(call.values['reinvite'] ?? 0)]);
    return this.#calls.request(call, { type: 'refer.requested' });
  }

  /** The URI of a number, number@domain or URI; `undefined`: it is none. */
  #uriOf({ run, values }: EffectCall, to: unknown = values['to']): string | undefined {
    const [, text = ''] = /^<?(?:sip:)?([^<>]*)>?$/.exec(String(to)) ?? [];
    const { number, home } = destinationOf(run.domain, text);
    const isWritten = /^[A-Za-z0-9*#+_.-]{1,64}$/.test(number) && /^[A-Za-z0-9.:-]{1,253}$/.test(home);
    return isWritten ? sipUri(number, home) : undefined;
  }

  /** Milliseconds of a sound file, by its size; or why it cannot be played. */
  async #lengthOf({ run }: EffectCall, file: string): Promise<number | EffectResult> {
    if (file === '') return 0;
    const { domain } = run;
    const directory = activeDirectory(this.#scope, domain);
    if (directory === undefined) return failureOf(fault('unreachable', `file: no directory of ${domain} is in reach`));
    const answer = await this.#scope.ask(directory.address, 'file.find', {
      domain,
      ...soundFileAt(file, parkingFile.kind),
    });
    if (!answer.ok) return failureOf({ ...answer.fault, message: `file: ${answer.fault.message}` });
    const { item } = answer.value;
    if (item === undefined) {
      return failureOf(fault('not_found', `file: the domain has no such sound file: ${JSON.stringify(file)}`));
    }
    return lengthMsOf(item as unknown as StoredFile);
  }
}

const targetWanted = 'to: expected a number, number@domain or URI';

function secondsIn({ values }: EffectCall, least: number, most: number = limits.scriptWaitSeconds): number | string {
  const { seconds: given } = values;
  if (typeof given === 'number' && given >= least && given <= most) return given;
  return `seconds: expected a number from ${least} to ${most}, got ${JSON.stringify(given)}`;
}

/** Their components have no branch for what may have happened. */
function failureOf({ message: problem, code }: Fault): EffectResult {
  return effectFailure({ problem, code });
}

/** The files of the platform are mono. */
function lengthMsOf({ size }: StoredFile): number {
  return Math.ceil((Math.max(0, size - wavHeaderBytes) * 1_000) / (2 * wavRate));
}
