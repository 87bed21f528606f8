/** Executes the operations of scripts: those of calls and conferences here, those of domain data and sessions where these are. */
import type { RoleScope } from '../../cluster/role.ts';
import {
  type CallBody,
  type CallCommand,
  type CallKey,
  type CallVerb,
  callKeys,
  callVerbSchemas,
  conferenceKeys,
  type SearchKey,
  searchKeyOf,
} from '../../model/call-request-bodies.ts';
import { isWithin } from '../../model/domain-tree.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { ListReply } from '../../model/protocol/messages/mware.ts';
import {
  type OperationDeclaration,
  operations,
  type ScriptOperationName,
  targetKeys,
  targetMode,
} from '../../model/script/script-operations.ts';
import { conferenceOf } from '../../model/shapes/call-shapes.ts';
import { type EffectCall, type EffectResult, faultyEffect, invalidEffect } from '../../scripts/effects.ts';
import { wholeOf } from '../pieces.ts';
import type { CallCommands } from './call-commands.ts';
import type { Params } from './callstores.ts';
import type { ConferenceRequests } from './conference-requests.ts';
import { EntityOperations } from './entity-operations.ts';
import type { Lookups } from './lookups.ts';
import type { Meetings } from './meetings/meeting-runner.ts';
import { notFound, type RequestContext, startCall } from './request-context.ts';

export interface OperationParts {
  readonly scope: RoleScope;
  readonly lookups: Lookups;
  readonly conferences: ConferenceRequests;
  readonly commands: CallCommands;
  readonly meetings: Meetings;
}

type Values = Readonly<Record<string, unknown>>;

/** A checked operation. */
interface Operation {
  readonly call: EffectCall;
  readonly context: RequestContext;
  readonly params: Values;
  /** The key of its target, where it has one. */
  readonly search: SearchKey | undefined;
}

type Execute = (operation: Operation) => Promise<Outcome<unknown>>;

/** Time that an operation may take beyond that of a request: X and Y of a call may ring. */
const longMs = 600_000;

export class Operations {
  readonly #parts: OperationParts;
  readonly #execute: Readonly<Record<ScriptOperationName, Execute>>;

  constructor(parts: OperationParts) {
    this.#parts = parts;
    const { scope, meetings } = parts;
    const entities = new EntityOperations(scope, meetings);
    const sessions = new SessionOperations(scope);
    this.#execute = {
      'session.create': ({ call, params }) => sessions.create(call, params as { domain: string; login: string }),
      'webban.add': ({ call, params }) => sessions.ban(call, params as { address: string; seconds: number }),
      ...this.#calls(),
      ...this.#conferences(),
      'entity.list': ({ call, params }) => entities.list(call, params),
      'entity.get': ({ call, params }) => entities.get(call, params),
      'entity.lookup': ({ call, params }) => entities.lookUp(call, params),
      'entity.create': ({ call, params }) => entities.create(call, params),
      'entity.patch': ({ call, params }) => entities.patch(call, params),
      'entity.delete': ({ call, params }) => entities.remove(call, params),
    };
  }

  readonly handler = async (call: EffectCall): Promise<EffectResult> => {
    const name = call.values['operation'] as ScriptOperationName;
    const read = readParams(operations[name], call.values['params'] as Values);
    if (!read.ok) return invalidEffect(`${name}: ${read.fault.message}`);
    const { clock, map } = this.#parts.scope;
    const untilMs = clock.now() + map.topology.timings.requestDeadlineMs + (name.startsWith('call.') ? longMs : 0);
    const context = { domain: call.run.domain, own: undefined, untilMs };
    const outcome = await this.#execute[name]({ call, context, ...read.value });
    return outcome.ok ? { branch: 'next', value: outcome.value } : faultyEffect(outcome.fault);
  };

  #calls() {
    const { scope, lookups, commands } = this.#parts;
    const verb = (verb: CallVerb): Execute =>
      this.#onCall(({ context, params }, dialogid) => {
        const { otherdialogid, ...rest } = params;
        const body = callVerbSchemas[verb].parse(
          otherdialogid === undefined ? rest : { ...rest, dialogid: otherdialogid },
        );
        return commands.run(context, dialogid, { verb, body } as CallCommand);
      });
    return {
      'call.start': ({ context, params }: Operation) =>
        startCall(scope, context, { by: 'ivr', call: params as CallBody }),
      'call.invite': ({ context, params }: Operation) =>
        startCall(scope, context, { by: 'direct', call: params as CallBody }),
      'call.list': async ({ context, params }: Operation) =>
        this.#itemsOf(context, await lookups.calls(context, listParams(params))),
      'call.find': ({ context, search }: Operation) => this.#findCalls(context, search),
      'call.get': this.#onCall(async ({ context }, dialogid) => {
        const live = await lookups.call(context, dialogid);
        return live.ok ? done(live.value.dialog) : live;
      }),
      'call.refer': verb('REFER'),
      'call.referreplaces': verb('REFERREPLACES'),
      'call.switchconf': verb('SWITCHCONF'),
      'call.referconf': verb('REFERCONF'),
      'call.notify': verb('NOTIFY'),
      'call.send_dtmf': verb('SEND_DTMF'),
      'call.setup_record': verb('SETUP_RECORD'),
      'call.setup_asr': verb('SETUP_ASR'),
      'call.setup_bindings': verb('SETUP_BINDINGS'),
      'call.delete': verb('DELETE'),
    } as const;
  }

  #conferences() {
    const { conferences } = this.#parts;
    return {
      'conference.list': async ({ context, params }: Operation) =>
        this.#itemsOf(context, await conferences.list(context, listParams(params))),
      'conference.find': ({ context, search }: Operation) => this.#findConferences(context, search),
      'conference.get': this.#onConference(async ({ context }, confid) => {
        const found = await conferences.one(context, confid);
        return found.ok ? done(conferenceOf(found.value)) : found;
      }),
      'conference.delete': this.#onConference(async ({ context }, confid) => {
        const ended = await conferences.command(context, confid, { verb: 'end' });
        return ended.ok ? done({ confid }) : ended;
      }),
      'conference.participants': this.#onConference(async ({ context, params }, confid) =>
        this.#itemsOf(context, await conferences.participants(context, confid, listParams(params))),
      ),
      'conference.add': this.#onConference(async ({ context, params }, confid) => {
        const added = await conferences.command(context, confid, { verb: 'call', to: String(params['to']) });
        return added.ok ? done({ confid, participantid: added.value.participantid }) : added;
      }),
      'conference.remove': this.#onConference(async ({ context, params }, confid) => {
        const participantid = String(params['participantid']);
        const removed = await conferences.command(context, confid, { verb: 'remove', participantid });
        return removed.ok ? done({ confid, participantid }) : removed;
      }),
    } as const;
  }

  /** The first call that the key leads to. */
  #onCall(execute: (operation: Operation, dialogid: string) => Promise<Outcome<unknown>>): Execute {
    return async (operation) => {
      const found = await this.#findCalls(operation.context, operation.search);
      if (!found.ok) return found;
      const [dialogid] = found.value;
      return dialogid === undefined ? failed(notFound) : execute(operation, dialogid);
    };
  }

  #onConference(execute: (operation: Operation, confid: string) => Promise<Outcome<unknown>>): Execute {
    return async (operation) => {
      const found = await this.#findConferences(operation.context, operation.search);
      if (!found.ok) return found;
      const [confid] = found.value;
      return confid === undefined ? failed(notFound) : execute(operation, confid);
    };
  }

  /** The items of a list, of which an instance may keep the rest. */
  async #itemsOf({ untilMs }: RequestContext, list: Outcome<ListReply>): Promise<Outcome<readonly unknown[]>> {
    if (!list.ok) return list;
    const { ask } = this.#parts.scope;
    return wholeOf(list.value, ({ at, name }) => ask(at, 'mware.rest', { name }, { deadlineMs: untilMs }));
  }

  async #findCalls(context: RequestContext, search: SearchKey | undefined): Promise<Outcome<string[]>> {
    const found = await this.#parts.lookups.find(context, search as SearchKey<CallKey>);
    return found.ok ? done(found.value.records.map(({ dialogid }) => dialogid)) : found;
  }

  async #findConferences(context: RequestContext, search: SearchKey | undefined): Promise<Outcome<string[]>> {
    const found = await this.#parts.conferences.find(context, search as SearchKey);
    return found.ok ? done(found.value.ids) : found;
  }
}

/** The parameters of an operation, checked, and the key of its target. */
function readParams(declaration: OperationDeclaration, given: Values): Outcome<Pick<Operation, 'params' | 'search'>> {
  const keys = targetKeys(declaration);
  const named = Object.fromEntries(
    Object.entries(given).filter(([name]) => keys.includes(name) || (keys.length > 0 && name === 'mode')),
  );
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(named, name)));
  const read = declaration.params.safeParse(own);
  if (!read.success) return failed(fault('invalid', problemOf(read.error.issues[0])));
  if (keys.length === 0) return done({ params: read.data, search: undefined });
  const mode = targetMode.safeParse(named['mode']);
  if (!mode.success) return failed(fault('invalid', `mode: ${mode.error.issues[0]?.message}`));
  const present = keys.find((name) => named[name] !== undefined && named[name] !== null);
  if (present === undefined) return failed(fault('invalid', `target: expected one of ${keys.join(', ')}`));
  const value = named[present];
  if (typeof value !== 'string' || value === '') return failed(fault('invalid', `${present}: expected a text`));
  const all = declaration.target === 'call' ? callKeys : conferenceKeys;
  return done({ params: read.data, search: searchKeyOf(all, { [present]: value, mode: mode.data }) });
}

function problemOf(
  issue: { readonly path: PropertyKey[]; readonly message: string; readonly keys?: readonly string[] } | undefined,
): string {
  const field = [...(issue?.path ?? []), ...(issue?.keys?.slice(0, 1) ?? [])].join('.');
  return issue?.keys === undefined ? `${field}: ${issue?.message}` : `${field}: no such parameter`;
}

function listParams({ filter, limit }: Values): Params {
  const filters: Params = filter === undefined || filter === null ? [] : [['filter', JSON.stringify(filter)]];
  return [...filters, ['limit', String(limit)]];
}

/** Operations of external authentication: at the front that has received the request. */
class SessionOperations {
  readonly #scope: RoleScope;

  constructor(scope: RoleScope) {
    this.#scope = scope;
  }

  /** The session of a user of the domain of the script, or of one below it. */
  async create(call: EffectCall, { domain, login }: { domain: string; login: string }): Promise<Outcome<unknown>> {
    const front = frontOf(call);
    if (!front.ok) return front;
    if (!this.#scope.map.domains.has(domain) || !isWithin(domain, call.run.domain)) {
      return failed(fault('forbidden', `domain: expected ${call.run.domain} or a domain below it`));
    }
    const body = { run: call.run.id, domain, login };
    const made = await this.#scope.ask(front.value, 'session.create', body);
    return made.ok ? done({ domain, login }) : made;
  }

  async ban(call: EffectCall, { address, seconds }: { address: string; seconds: number }): Promise<Outcome<unknown>> {
    const front = frontOf(call);
    if (!front.ok) return front;
    const banned = await this.#scope.ask(front.value, 'filter.add', { ip: address, expires: seconds });
    return banned.ok ? done({ address, result: banned.value.result }) : banned;
  }
}

function frontOf({ requester: { by, front } }: EffectCall): Outcome<string> {
  if (by === 'external' && front !== undefined) return done(front);
  return failed(fault('forbidden', 'this operation is for scripts of external authentication'));
}
