/** Conferences of a domain, at the conf instances of all sites. */

import { unreachableFault } from '../../cluster/messaging/ask-in-order.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { type CallKey, callKeys, type SearchKey } from '../../model/call-request-bodies.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { coverOf } from '../../model/domain-tree.ts';
import { done, type Fault, failed, fault, type Outcome } from '../../model/fault.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { ConferenceRecord } from '../../model/protocol/messages/conference.ts';
import type { DialogRecord } from '../../model/protocol/messages/dialog.ts';
import type { ListReply } from '../../model/protocol/messages/mware.ts';
import { conferenceOf, conferenceShape, participantShape, participantsOf } from '../../model/shapes/call-shapes.ts';
import { uriKey } from '../../model/sip/uri.ts';
import { wholeOf } from '../pieces.ts';
import { type ListItem, type ListPages, type Params, readParams } from './callstores.ts';
import type { Lookups } from './lookups.ts';
import { ownConferences } from './own-conferences.ts';
import { lookUntilMs, notFound, type RequestContext } from './request-context.ts';

type Command = BodyOf<'mware.conference.command'>['command'];

interface FoundConferences {
  readonly records: readonly ConferenceRecord[];
  /** Sites with a conf instance that did not answer. */
  readonly missing: readonly string[];
}

export class ConferenceRequests {
  readonly #scope: RoleScope;
  readonly #lookups: Lookups;
  readonly #pages: ListPages;

  constructor({ scope, lookups, pages }: { scope: RoleScope; lookups: Lookups; pages: ListPages }) {
    this.#scope = scope;
    this.#lookups = lookups;
    this.#pages = pages;
  }

  async list(context: RequestContext, params: Params): Promise<Outcome<ListReply>> {
    const query = readParams(params, conferenceShape);
    if (!query.ok) return query;
    const all = await this.#all(context);
    if (!all.ok) return all;
    const { records, missing } = all.value;
    const { untilMs } = context;
    return this.#pages.answer(records.map(conferenceOf), query.value, { shape: conferenceShape, missing, untilMs });
  }

  /** A conference by its id, which contains the number of its conf instance. */
  async one(context: RequestContext, confid: string): Promise<Outcome<ConferenceRecord>> {
    const { map, view, instance, ask } = this.#scope;
    const home = map.instanceNamed(`conf-${confid.split('-')[0]}`);
    if (home === undefined) return failed(notFound);
    if (view.statusOf(home) === undefined) return failed(unreachableFault(home.name, instance.site));
    const body = { domain: context.domain, confid };
    const outcome = await ask(home.address, 'conference.list', body, { deadlineMs: lookUntilMs(this.#scope, context) });
    if (!outcome.ok) return outcome;
    const found = outcome.value.conferences.find((each) => each.confid === confid);
    if (found === undefined) return failed(notFound);
    const own = await this.#own(context, [found]);
    if (!own.ok) return own;
    return own.value.length === 0 ? failed(notFound) : done(found);
  }

  async find(
    context: RequestContext,
    search: SearchKey,
  ): Promise<Outcome<{ ids: string[]; missing: readonly string[] }>> {
    if (isCallKey(search)) return this.#findByCall(context, search);
    const all = await this.#all(context);
    if (!all.ok) return all;
    const { records, missing } = all.value;
    return done({ ids: records.filter((record) => isMeant(record, search)).map(({ confid }) => confid), missing });
  }

  async participants(context: RequestContext, confid: string, params: Params): Promise<Outcome<ListReply>> {
    const query = readParams(params, participantShape);
    if (!query.ok) return query;
    const conference = await this.one(context, confid);
    if (!conference.ok) return conference;
    const { untilMs } = context;
    const participants = participantsOf(conference.value);
    return this.#pages.answer(participants, query.value, { shape: participantShape, missing: [], untilMs });
  }

  async participant(
    context: RequestContext,
    confid: string,
    participantid: string,
  ): Promise<Outcome<{ item: ListItem }>> {
    const conference = await this.one(context, confid);
    if (!conference.ok) return conference;
    const found = participantsOf(conference.value).find((each) => each.participantid === participantid);
    return found === undefined ? failed(notFound) : done({ item: { ...found } });
  }

  async command(
    context: RequestContext,
    confid: string,
    command: Command,
  ): Promise<Outcome<ReplyOf<'mware.conference.command'>>> {
    const conference = await this.one(context, confid);
    if (!conference.ok) return conference;
    const { meeting } = conference.value;
    if (command.verb === 'hears' && command.hears !== undefined && meeting !== undefined)
      return failed(heardBy(meeting.id));
    const outcome = await this.#send(conference.value.conf, confid, command, { deadlineMs: context.untilMs });
    return !outcome.ok && outcome.fault.code === 'not_found' ? failed(notFound) : outcome;
  }

  /** Ends a conference without participants. */
  async end(context: RequestContext, confid: string): Promise<void> {
    await this.command({ ...context, own: undefined }, confid, { verb: 'end' });
  }

  #send(conf: string, confid: string, command: Command, until: { deadlineMs: number }) {
    const { ask } = this.#scope;
    switch (command.verb) {
      case 'end':
        return ask(conf, 'conference.end', { confid }, until);
      case 'call':
        return this.#call(conf, confid, command.to, until);
      case 'remove':
        return ask(conf, 'conference.remove', { confid, participantid: command.participantid }, until);
      case 'hears':
        return ask(conf, 'conference.hears', { confid, ...(command.hears && { hears: command.hears }) }, until);
    }
  }

  async #call(conf: string, confid: string, to: string, until: { deadlineMs: number }) {
    const called = await this.#scope.ask(conf, 'conference.call', { confid, invitations: [[to, null]] }, until);
    return called.ok ? done({ participantid: called.value.participantids[0] }) : called;
  }

  /** All conferences of the domain, or those of the requester. A fault if no conf instance answers. */
  async #all(
    context: RequestContext,
    { brief = context.own === undefined }: { brief?: boolean } = {},
  ): Promise<Outcome<FoundConferences>> {
    const { map, view, instance: self, ask } = this.#scope;
    const { domain } = context;
    const serving = map.instancesOf('conf').filter((each) => coverOf(domain, each.domains) !== undefined);
    const deadlineMs = lookUntilMs(this.#scope, context);
    const answers = await Promise.all(
      serving.map(async (conf) => {
        if (view.statusOf(conf) === undefined) return undefined;
        const outcome = await ask(conf.address, 'conference.list', { domain, brief }, { deadlineMs });
        if (!outcome.ok) return undefined;
        const { conferences: items, rest } = outcome.value;
        const whole = await wholeOf({ items, rest }, (name) =>
          ask(conf.address, 'conference.rest', { rest: name }, { deadlineMs }),
        );
        return whole.ok ? whole.value : undefined;
      }),
    );
    if (answers.every((answer) => answer === undefined)) return failed(unreachableFault('conf', self.site));
    const silent = serving.filter((conf, i) => answers[i] === undefined && !hasStopped(this.#scope, conf));
    const missing = [...new Set(silent.map((conf) => conf.site))];
    const all = answers.flatMap((answer) => answer ?? []);
    const own = await this.#own(context, all);
    return own.ok ? done({ records: own.value, missing }) : own;
  }

  #own(context: RequestContext, records: readonly ConferenceRecord[]) {
    return ownConferences({ scope: this.#scope, lookups: this.#lookups }, context, records);
  }

  /** Finds conferences through the live calls that a key leads to: one party of such a call is the conference. */
  async #findByCall(context: RequestContext, search: SearchKey<CallKey>) {
    const calls = await this.#lookups.find(context, search);
    if (!calls.ok) return calls;
    const { records, missing } = calls.value;
    const parties = records.flatMap((record) => record.participations);
    const meant = parties.filter(({ kind, domain }) => kind === 'conference' && domain === context.domain);
    const ids = new Set(meant.map(({ name }) => name));
    if (context.own === undefined && !records.some(isInUnnamedRoom)) return done({ ids: [...ids], missing });
    const all = await this.#all(context, { brief: false });
    if (!all.ok) return all;
    const legs = new Set(records.flatMap((record) => record.legs.map(({ callid }) => callid)));
    const found = all.value.records.filter(
      ({ confid, participants }) => ids.has(confid) || participants.some(({ callid }) => legs.has(callid)),
    );
    return done({
      ids: found.map(({ confid }) => confid),
      missing: [...new Set([...missing, ...all.value.missing])],
    });
  }
}

/** Whether a call has been answered by a room of which b2b does not know yet which conference it is. */
function isInUnnamedRoom({ status, participations }: DialogRecord): boolean {
  return status === 'dialog' && !participations.some(({ side }) => side === 'b');
}

/** The next round of the meeting would undo the change. */
function heardBy(meeting: string): Fault {
  return fault(
    'conflict',
    `hears: this is the selector meeting ${meeting}; change that, its topology or its participants`,
  );
}

/** Whether the instance has stopped, and so has lost its conferences. */
function hasStopped({ view }: RoleScope, conf: InstanceEntry): boolean {
  const status = view.statusOf(conf);
  return status === 'stopped' || status === 'starting';
}

function isCallKey(search: SearchKey): search is SearchKey<CallKey> {
  return (callKeys as readonly string[]).includes(search.key);
}

function isMeant(record: ConferenceRecord, { key, value }: SearchKey): boolean {
  if (key === 'confuri') return uriKey(record.uri) === uriKey(value);
  if (key === 'confnumber') return record.confnumber === value.toLowerCase();
  return record[key as 'confid' | 'confroomnum'] === value;
}
