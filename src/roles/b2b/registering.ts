/** REGISTER: b2b sees that it is the SIP user, within the bounds that the user has, and has sr keep the binding. */

import { activeDirectory, activeInstances, type RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { failed, fault, type Outcome } from '../../model/fault.ts';
import type { AskType, BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { SipUserRecord } from '../../model/protocol/messages/directory.ts';
import type { BindingCopy } from '../../model/protocol/messages/registrar.ts';
import { ha1Of, wrongCredentials } from '../../model/sip/digest.ts';
import type { SipRequest } from '../../model/sip/message.ts';
import { hostOf, sipUri, userOf } from '../../model/sip/uri.ts';
import type { UserAgent } from '../../sip/user-agent.ts';
import type { Authentication } from './authentication.ts';

export interface RegisteringOptions {
  readonly scope: RoleScope;
  readonly authentication: Authentication;
  /** The agent's own, by which a request is answered. */
  readonly respond: UserAgent['respond'];
}

type Answer = Parameters<UserAgent['respond']>[2];

const tooManyDevices = 'Too Many Devices';

export class Registering {
  readonly #options: RegisteringOptions;

  constructor(options: RegisteringOptions) {
    this.#options = options;
  }

  /** Takes a REGISTER that came by an sg, and answers it, now or later. */
  take(request: SipRequest): void {
    const { scope, authentication, respond } = this.#options;
    const domain = hostOf(request.to.uri);
    if (!scope.map.domains.has(domain)) return respond(request, 404);
    if (request.path === undefined) return respond(request, 400);
    if (!authentication.isAnswer(request, domain)) {
      return respond(request, 401, { challenge: authentication.challenge(domain) });
    }
    this.#register(request, domain, request.path).then(
      ([status, answer]) => respond(request, status, answer),
      (error: unknown) => scope.crash(error),
    );
    return undefined;
  }

  async #register(request: SipRequest, domain: string, path: string): Promise<[status: number, answer?: Answer]> {
    const { scope, authentication } = this.#options;
    const login = userOf(request.to.uri);
    const directory = activeDirectory(scope, domain);
    if (directory === undefined) return [503];
    const known = await scope.ask(directory.address, 'directory.sipusers', { domain, logins: [login] });
    if (!known.ok) return [503];
    const [user] = known.value.users;
    if (user === undefined || !authentication.isBy(request, user)) return [403, wrongCredentials];
    const wanted = request.expires ?? user.maxexpires;
    if (wanted <= 0) return this.#unbind(request, user);
    // What Min-Expires says in SIP.
    if (wanted < user.minexpires) return [423, { expires: user.minexpires }];
    return this.#bind(request, user, { path, expires: Math.min(wanted, user.maxexpires) });
  }

  async #bind(
    request: SipRequest,
    user: SipUserRecord,
    { path, expires }: { path: string; expires: number },
  ): Promise<[status: number, answer?: Answer]> {
    const { domain, login, pwd, id: userid, devices } = user;
    const { callid, cseq, userAgent = '' } = request;
    const where = { domain, login, userid, device: deviceOf(request), contact: contactOf(request), path };
    const life = { leftMs: expires * 1_000, changedMs: this.#options.scope.clock.now(), isRemoved: false };
    const binding: BindingCopy = { ...where, callid, cseq, userAgent, ha1: ha1Of(login, domain, pwd), ...life };
    const bound = await this.#askRegistrar('registrar.bind', domain, { binding, devices });
    if (!bound.ok) return [503];
    if (bound.value.result === 'full') return [403, { reason: tooManyDevices }];
    // It was overtaken by a later one of the same device (RFC 3261 10.3).
    if (bound.value.result === 'stale') return [500];
    return [200, { expires, contacts: bound.value.bindings.map((each) => each.contact), contact: where.contact }];
  }

  async #unbind(request: SipRequest, user: SipUserRecord): Promise<[status: number, answer?: Answer]> {
    const { domain, login, maxexpires } = user;
    const { callid, cseq } = request;
    const body = { domain, login, device: deviceOf(request), callid, cseq, lastsMs: maxexpires * 1_000 };
    const unbound = await this.#askRegistrar('registrar.unbind', domain, body);
    return unbound.ok ? [200, { expires: 0 }] : [503];
  }

  /** Asks the active sr of the own site; where it surely has not done it, the next site's. */
  async #askRegistrar<T extends Extract<AskType, `registrar.${string}`>>(
    type: T,
    domain: string,
    body: BodyOf<T>,
  ): Promise<Outcome<ReplyOf<T>>> {
    const { scope } = this.#options;
    let outcome: Outcome<ReplyOf<T>> = failed(fault('unreachable', `sr is not reachable for ${domain}`));
    for (const { address } of this.#registrars(domain)) {
      outcome = await scope.ask(address, type, body);
      if (outcome.ok || !outcome.fault.definite) return outcome;
    }
    return outcome;
  }

  #registrars(domain: string): readonly InstanceEntry[] {
    return activeInstances(this.#options.scope, 'sr', domain);
  }
}

/** Without a device id, the contact identifies the device. */
function deviceOf(request: SipRequest): string {
  return request.device ?? contactOf(request);
}

function contactOf({ contact, to, source = '' }: SipRequest): string {
  return contact ?? sipUri(userOf(to.uri), source);
}
