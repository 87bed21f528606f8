/**
 * Routing: what the number that a caller dials leads to, asked of the directory and of the registrar; and, of a SIP user who
 * calls from a phone, whether it is that user.
 */

import { askRole } from '../../../cluster/messaging/ask-in-order.ts';
import { activeDirectory, type RoleScope } from '../../../cluster/role.ts';
import type { FinalFailure } from '../../../machines/call/dialog-forks.ts';
import { destinationOf } from '../../../model/numbers/destination.ts';
import type { ReplyOf } from '../../../model/protocol/catalogue.ts';
import type { Callee, DomainRules, SipUserRecord } from '../../../model/protocol/messages/directory.ts';
import type { BindingCopy } from '../../../model/protocol/messages/registrar.ts';
import { wrongCredentials } from '../../../model/sip/digest.ts';
import { type RefusalDetails, reasonOf, type SipRequest } from '../../../model/sip/message.ts';
import { hostOf } from '../../../model/sip/uri.ts';
import type { Authentication } from '../authentication.ts';
import type { CallOrigin } from '../call.ts';
import type { ConcurrentCalls, CountedCall } from '../concurrent-calls.ts';
import {
  accountsOf,
  conferenceOf,
  confidIn,
  devicesOf,
  type RouteGroups,
  roomOf,
  scriptsOf,
  type WantedSide,
} from './routes.ts';

/** Bound of each ask on the way (ms). */
const askMs = 2_000;

export type Routing =
  /** The caller did not show who it is; not even a call came of it. */
  | ({ readonly type: 'refused'; readonly status: number; readonly reason: string } & RefusalDetails)
  | { readonly type: 'failed'; readonly failure: FinalFailure; readonly caller?: SipUserRecord | undefined }
  | {
      readonly type: 'found';
      readonly groups: RouteGroups;
      readonly caller: SipUserRecord | undefined;
      readonly recordrules: readonly DomainRules[] | undefined;
    };

/** Trunks are taken for the call. */
export interface Question extends Pick<CallOrigin, 'domain' | 'dialled' | 'login'>, CountedCall {
  readonly mode?: 'number' | 'sipuser';
  /** The INVITE of a phone that must show who it is. */
  readonly proof?: SipRequest;
  /** Whether a conference calls: it may not call another one, to which it would talk for ever. (chosen) */
  readonly isByConference?: boolean;
}

type Answer = ReplyOf<'directory.route'>;

export class RouteLookup {
  readonly #scope: RoleScope;
  readonly #authentication: Authentication;
  readonly #concurrentCalls: ConcurrentCalls;

  constructor(scope: RoleScope, authentication: Authentication, concurrentCalls: ConcurrentCalls) {
    this.#scope = scope;
    this.#authentication = authentication;
    this.#concurrentCalls = concurrentCalls;
  }

  async find(asked: Question): Promise<Routing> {
    const question = { ...asked, dialled: withoutOwnDomain(asked) };
    const { domain, dialled: number, login, mode = 'number', proof } = question;
    const directory = activeDirectory(this.#scope, domain);
    if (directory === undefined) return failedWith(503);
    const body = { domain, number, mode, ...(login === undefined ? {} : { caller: login }) };
    const route = await this.#scope.ask(directory.address, 'directory.route', body, { deadlineMs: this.#deadlineMs });
    if (!route.ok) return failedWith(503);
    const { caller } = route.value;
    const isAnswer = proof !== undefined && this.#authentication.isAnswer(proof, domain);
    if (isAnswer && !(caller !== null && this.#authentication.isBy(proof, caller))) return wrongCaller;
    const suspect = isAnswer ? undefined : proof;
    const bindings = await this.#bindingsOf(usersToFind(route.value, suspect !== undefined));
    if (bindings === undefined) return failedWith(503, caller);
    const isKnown = suspect === undefined || (caller !== null && comesFrom(suspect, caller, bindings));
    if (!isKnown) return { ...unknownCaller, challenge: this.#authentication.challenge(domain) };
    if (caller !== null && !(await this.#concurrentCalls.take({ ...question, replaced: undefined }, caller)))
      return failedWith(403, caller);
    return this.#routed(question, route.value, bindings);
  }

  async #routed(
    question: Question,
    { caller, callee, recordrules }: Answer,
    bindings: readonly BindingCopy[],
  ): Promise<Routing> {
    if (question.isByConference === true && isConference(question, callee)) return failedWith(482, caller);
    if (callee.kind === 'sipuser' && !(await this.#concurrentCalls.take(question, callee.user))) {
      return failedWith(486, caller);
    }
    const groups = this.#groupsOf(question, { caller, callee, bindings }).filter((group) => group.length > 0);
    if (groups.length > 0) return { type: 'found', groups, caller: caller ?? undefined, recordrules };
    return failedWith(statusOf(this.#scope, question, callee), caller);
  }

  #groupsOf(
    { domain, dialled }: Question,
    { caller, callee, bindings }: Pick<Answer, 'caller' | 'callee'> & { readonly bindings: readonly BindingCopy[] },
  ): RouteGroups {
    const conference = conferenceIn(domain, dialled);
    if (conference !== undefined) return conferenceOf(this.#scope, conference);
    switch (callee.kind) {
      case 'sipuser':
        return devicesOf(
          callee.user,
          bindings.filter((binding) => isOf(binding, callee.user)),
        );
      case 'conference':
        return roomOf(this.#scope, callee);
      case 'ivr':
        return scriptsOf(this.#scope, callee);
      case 'outside':
        if (refusesUnknown(this.#scope, domain)) return [];
        return accountsOf(this.#scope, { domain, number: dialled, modifier: caller?.modextout ?? '' }, callee.accounts);
      case 'none':
        return [];
    }
  }

  /** The devices of SIP users, which may be of two domains. `undefined`: a registrar is out of reach. */
  async #bindingsOf(users: readonly SipUserRecord[]): Promise<readonly BindingCopy[] | undefined> {
    const domains = [...new Set(users.map(({ domain }) => domain))];
    const all: BindingCopy[] = [];
    for (const domain of domains) {
      const logins = [...new Set(users.filter((user) => user.domain === domain).map(({ login }) => login))];
      const question = { type: 'registrar.lookup' as const, body: { domain, logins }, deadlineMs: this.#deadlineMs };
      const found = await askRole(this.#scope, { role: 'sr', domain }, question);
      if (!found.ok) return undefined;
      all.push(...found.value.bindings);
    }
    return all;
  }

  get #deadlineMs(): number {
    return this.#scope.clock.now() + askMs;
  }
}

/** `number@domain` of the own domain is the number. */
function withoutOwnDomain({ domain, dialled }: Question): string {
  const { number, home } = destinationOf(domain, dialled);
  return home === domain ? number : dialled;
}

const wrongCaller = { type: 'refused', status: 403, ...wrongCredentials } as const;
const unknownCaller = { type: 'refused', status: 407, reason: reasonOf(407) } as const;

/** The users whose devices must be known: the callee, and a caller without credentials. */
function usersToFind({ caller, callee }: Answer, mustFindCaller: boolean): SipUserRecord[] {
  const users: SipUserRecord[] = [];
  if (mustFindCaller && caller !== null) users.push(caller);
  if (callee.kind === 'sipuser') users.push(callee.user);
  return users;
}

/** Whether a request comes from where a device of this user is registered. */
function comesFrom({ source }: SipRequest, user: SipUserRecord, bindings: readonly BindingCopy[]): boolean {
  return bindings.some((binding) => isOf(binding, user) && hostOf(binding.contact) === source);
}

function isOf({ login, domain }: BindingCopy, user: SipUserRecord): boolean {
  return login === user.login && domain === user.domain;
}

function isConference({ domain, dialled }: Question, callee: Callee): boolean {
  return callee.kind === 'conference' || conferenceIn(domain, dialled) !== undefined;
}

/** The conference that is dialled by its id, `conf-<confid>` or `conf-<confid>@domain`: where it is to be found. */
function conferenceIn(domain: string, dialled: string): WantedSide | undefined {
  const { number, home } = destinationOf(domain, dialled);
  return confidIn(number) === undefined ? undefined : { domain: home, number };
}

/** The status where there is no route. */
function statusOf(scope: RoleScope, { domain, dialled }: Question, callee: Callee): number {
  if (callee.kind === 'sipuser') return 480;
  if (conferenceIn(domain, dialled) !== undefined || callee.kind === 'none') return 404;
  return callee.kind === 'outside' && refusesUnknown(scope, domain) ? 404 : 503;
}

/** Whether calls to numbers outside of the domain are refused. */
function refusesUnknown({ map }: RoleScope, domain: string): boolean {
  return map.domains.get(domain)?.unknownNumbers === 'refuse';
}

function failedWith(status: number, caller?: SipUserRecord | null): Routing {
  return { type: 'failed', failure: { status, reason: reasonOf(status) }, caller: caller ?? undefined };
}
