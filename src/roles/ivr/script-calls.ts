/** Calls to numbers of IVR scripts: each runs its script, whose components act on the call. Calls and runs end with the instance. */
import { EntityHost } from '../../actors/entity-host.ts';
import { askRole } from '../../cluster/ask-in-order.ts';
import { activeDirectory, type RoleScope } from '../../cluster/role.ts';
import { type ScriptCallCommand, type ScriptCallEvent, scriptCallMachine } from '../../machines/script/script-call.ts';
import { parkingFile, type StoredFile } from '../../model/entities/stored-file.ts';
import { limits } from '../../model/limits.ts';
import { scriptMessages } from '../../model/protocol/script.ts';
import { wavHeaderBytes, wavRate } from '../../model/recording/wav.ts';
import { reasonOf, type SipRequest, statusIn } from '../../model/sip/message.ts';
import { hostOf, sipUri, userOf } from '../../model/sip/uri.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import { commonEffects, type EffectPorts, scriptFunctions } from '../../scripts/common-effects.ts';
import type { EffectCall, EffectHandlers, EffectResult } from '../../scripts/effects.ts';
import { findScriptOf } from '../../scripts/find-script.ts';
import { scriptJournal } from '../../scripts/journal.ts';
import { ScriptRuns } from '../../scripts/script-runs.ts';
import type { LegReport } from '../../sip/user-agent.ts';
import type { PlatformAgent } from '../platform-agent.ts';

/** A component that acts on a call and is not done. */
type Done = (result: Extract<ScriptCallCommand, { type: 'report.component' }>) => void;

interface ScriptCall {
  readonly domain: string;
  /** URI of the party that called. */
  readonly party: string;
  /** Target of the transfer under way. */
  referTo: string;
  isPlaying: boolean;
  done: Done | undefined;
}

export interface IvrPorts extends EffectPorts {
  readonly sandbox: Sandbox;
}

type CallParts = IvrPorts & { readonly agent: PlatformAgent; readonly onEnd: () => void };

const over = 'the call is over';
const seconds = (given: unknown, least: number): number | undefined =>
  typeof given === 'number' && given >= least && given <= limits.scriptWaitSeconds ? given : undefined;

export class ScriptCalls {
  readonly journal: ReturnType<typeof scriptJournal>;
  readonly #scope: RoleScope;
  readonly #agent: PlatformAgent;
  readonly #runs: ScriptRuns;
  readonly #entities: EntityHost<typeof scriptCallMachine>;
  /** By the Call-Id of the leg, which is the id of the run too. */
  readonly #calls = new Map<string, ScriptCall>();

  constructor(scope: RoleScope, { agent, onEnd, sandbox, ...ports }: CallParts) {
    const { clock, counters, crash } = scope;
    this.#scope = scope;
    this.#agent = agent;
    const handlers = { ...this.#handlers, ...commonEffects(scope, ports) };
    const [functions, findScript] = [scriptFunctions(scope), findScriptOf(scope)];
    this.#runs = new ScriptRuns({ scope, sandbox, handlers, functions, findScript });
    this.journal = scriptJournal(scope, () => this.#runs);
    this.#entities = new EntityHost({
      ...{ machine: scriptCallMachine, clock, counters, onCrash: crash },
      onCommand: (leg, command) => this.#execute(leg, command),
      onEnd: (leg) => {
        this.#report(leg, { type: 'report.component', branch: 'failed', status: 0 });
        this.#calls.delete(leg);
        onEnd();
      },
    });
  }

  get size(): number {
    return this.#entities.size;
  }

  has(leg: string): boolean {
    return this.#calls.has(leg);
  }

  /** Runs the script for a new leg. Start parameters: the number that calls, the number that is called, the id of the call. */
  start(leg: string, { from, to, inviteid }: SipRequest, code: string): void {
    const domain = hostOf(to.uri);
    if (this.#entities.start(leg, undefined) !== undefined)
      return void this.#agent.tell(leg, { type: 'reject', status: 503 });
    this.#calls.set(leg, { domain, party: from.uri, referTo: '', isPlaying: false, done: undefined });
    const params = [userOf(from.uri), userOf(to.uri), inviteid ?? ''];
    const run = { id: leg, kind: 'ivrscript', domain, code, params, requester: { by: 'call' } } as const;
    this.#runs.start(run).then((outcome) => {
      if (!outcome.ok) this.#scope.log.write('warn', 'script.refused', { domain, code, reason: outcome.fault.message });
      // The end of its call ends a script: that is no failure.
      else if (outcome.value.status === 'failed' && this.#entities.has(leg)) {
        this.#scope.log.write('warn', 'script.failed', { domain, code, problem: outcome.value.problem ?? '' });
      }
      this.#entities.send(leg, { type: 'script.ended' });
    }, this.#scope.crash);
  }

  handle(leg: string, report: LegReport): void {
    const event = eventOf(report);
    if (event !== undefined) this.#entities.send(leg, event);
  }

  /** Ends all calls, and their scripts. */
  endAll(): void {
    for (const leg of [...this.#entities.keys()]) this.#entities.send(leg, { type: 'end.requested' });
  }

  stop(): void {
    this.#entities.stopAll();
    this.#runs.stop();
    this.#calls.clear();
  }

  readonly #handlers: EffectHandlers = {
    operation: async ({ run, ...call }) => {
      const { domain } = run;
      const deadlineMs = this.#scope.clock.now() + scriptMessages['script.operation'].deadlineMs;
      const question = {
        type: 'script.operation',
        body: { run, ...call, values: { ...call.values } },
        deadlineMs,
      } as const;
      const answer = await askRole(this.#scope, { role: 'mware', domain }, question);
      if (answer.ok) return answer.value;
      const { definite, message: problem } = answer.fault;
      return { branch: definite ? 'failed' : 'indefinite', value: { problem } };
    },
    answer: (call) => this.#request(call, { type: 'answer.requested' }),
    hangup: (call) => this.#request(call, { type: 'hangup.requested' }),
    play: async (call) => {
      const { file, seconds: given, interrupt } = call.values;
      const wanted = seconds(given, 0);
      if (wanted === undefined) return failure(`seconds: expected a number from 0 to ${limits.scriptWaitSeconds}`);
      const lengthMs = await this.#lengthOf(call, String(file));
      if (typeof lengthMs === 'string') return failure(lengthMs);
      const ms = wanted === 0 ? lengthMs : wanted * 1_000;
      return this.#playing(call, String(file), { type: 'play.requested', ms, isInterruptible: interrupt === true });
    },
    menu: async (call) => {
      const { file, seconds: given, digits: count, end } = call.values;
      const wanted = seconds(given, 1);
      if (wanted === undefined) return failure(`seconds: expected a number from 1 to ${limits.scriptWaitSeconds}`);
      const lengthMs = await this.#lengthOf(call, String(file));
      if (typeof lengthMs === 'string') return failure(lengthMs);
      const request = { type: 'digits.requested', count: Number(count), end: String(end), ms: wanted * 1_000 } as const;
      return this.#playing(call, String(file), request);
    },
    refer: (call) => {
      const held = this.#calls.get(call.run.id);
      const [number = '', host = call.run.domain] = String(call.values['to']).split('@');
      if (!/^[A-Za-z0-9*#+_.-]{1,64}$/.test(number))
        return Promise.resolve(failure('to: expected a number, or number@domain'));
      if (held !== undefined) held.referTo = sipUri(number, host);
      return this.#request(call, { type: 'refer.requested' });
    },
  };

  /** Milliseconds of a parking file, by its size; a text says why it cannot be played. */
  async #lengthOf({ run }: EffectCall, file: string): Promise<number | string> {
    if (file === '') return 0;
    const { domain } = run;
    const directory = activeDirectory(this.#scope, domain);
    if (directory === undefined) return `file: no directory of ${domain} is in reach`;
    const question = { kind: parkingFile.kind, domain, name: file };
    const answer = await this.#scope.ask(directory.address, 'file.find', question);
    if (!answer.ok) return `file: ${answer.fault.message}`;
    const { item } = answer.value;
    if (item === undefined) return `file: the domain has no parking file ${JSON.stringify(file)}`;
    return lengthMsOf(item as unknown as StoredFile);
  }

  #playing(call: EffectCall, file: string, event: ScriptCallEvent): Promise<EffectResult> {
    const held = this.#calls.get(call.run.id);
    const isTalking = this.#entities.snapshot(call.run.id)?.value === 'talking';
    if (held !== undefined && isTalking && file !== '') {
      held.isPlaying = true;
      this.#agent.tell(call.run.id, { type: 'play', plays: file });
    }
    return this.#request(call, event);
  }

  /** Sends the request of a component to its call. Resolves when the machine reports that it is done. */
  #request({ run, component }: EffectCall, event: ScriptCallEvent): Promise<EffectResult> {
    const call = this.#calls.get(run.id);
    if (call === undefined)
      return Promise.resolve(event.type === 'hangup.requested' ? { branch: 'next' } : failure(over));
    return new Promise((resolve) => {
      call.done = ({ branch, digits, status = 0 }) => {
        if (branch === 'next') resolve({ branch, ...(digits !== undefined && { value: digits }) });
        else if (branch === 'timeout')
          resolve({ branch, value: digits ?? { problem: `${component}: no outcome in time` } });
        else resolve(status === 0 ? failure('the call is not answered, or over') : { branch, value: refusal(status) });
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

  #execute(leg: string, command: ScriptCallCommand): void {
    const call = this.#calls.get(leg);
    switch (command.type) {
      case 'answer.leg':
        return void this.#agent.tell(leg, { type: 'answer' });
      case 'refer.party':
        if (call === undefined) return;
        return void this.#agent.tell(leg, {
          type: 'refer',
          referTo: { uri: call.referTo },
          referredBy: { uri: this.#agent.view(leg)?.local.uri ?? call.referTo },
        });
      case 'stop.playing':
        if (call?.isPlaying !== true) return;
        call.isPlaying = false;
        return void this.#agent.tell(leg, { type: 'play', plays: '' });
      case 'end.leg':
        if (!this.#agent.tell(leg, { type: 'end' })) this.#entities.send(leg, { type: 'leg.gone' });
        return;
      case 'drop.leg':
        return void this.#agent.tell(leg, { type: 'drop' });
      case 'end.script':
        return this.#runs.end(leg);
      case 'report.component':
        return this.#report(leg, command);
      case 'event.unexpected':
        return;
    }
  }
}

function failure(problem: string): EffectResult {
  return { branch: 'failed', value: { problem } };
}

function refusal(status: number) {
  return { status, problem: `the transfer failed with ${status} ${reasonOf(status)}` };
}

/** The files of the platform are mono. */
function lengthMsOf({ size }: StoredFile): number {
  return Math.ceil((Math.max(0, size - wavHeaderBytes) * 1_000) / (2 * wavRate));
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
