/** Operations of external authentication: at the front that has received the request. */
import type { RoleScope } from '../../cluster/role.ts';
import { isWithin } from '../../model/domain-tree.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { EffectCall } from '../../scripts/effects.ts';

export class SessionOperations {
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
