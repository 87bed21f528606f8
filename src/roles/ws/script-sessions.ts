/** Sessions that scripts of external authentication create here, until the front answers with them. */
import { ExpiringMap } from '../../actors/expiring-map.ts';
import { unreachableFault } from '../../cluster/messaging/ask-in-order.ts';
import { activeDirectory, type RoleScope } from '../../cluster/role.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { SessionRecord, UserRecord } from '../../model/protocol/messages/session.ts';
import type { Sessions } from './sessions.ts';

/** A session with its id, which nothing else knows. */
export interface NewSession {
  readonly id: string;
  readonly session: SessionRecord;
}

export class ScriptSessions {
  readonly #scope: RoleScope;
  readonly #sessions: Sessions;
  /** By the run that created them. */
  readonly #created: ExpiringMap<Promise<Outcome<NewSession>>>;

  constructor(scope: RoleScope, sessions: Sessions) {
    this.#scope = scope;
    this.#sessions = sessions;
    this.#created = new ExpiringMap(scope.clock, limits.externalFlowMs, limits.externalFlows);
  }

  /** The session that a run has created; it is given out once. */
  async take(run: string): Promise<NewSession | undefined> {
    const created = await this.#created.get(run);
    this.#created.delete(run);
    return created?.ok === true ? created.value : undefined;
  }

  /** The user with a login. */
  async userOf(domain: string, login: string): Promise<Outcome<UserRecord | undefined>> {
    const directory = activeDirectory(this.#scope, domain);
    if (directory === undefined) return failed(unreachableFault('mdc', this.#scope.instance.site));
    const found = await this.#scope.ask(directory.address, 'directory.user', { domain, login });
    return found.ok ? done(found.value.user ?? undefined) : found;
  }

  readonly handlers = {
    /** A run has one session: a repeated request gets the same one. After a failure the next request is a new one. */
    'session.create': async ({
      run,
      domain,
      login,
    }: BodyOf<'session.create'>): Promise<Outcome<ReplyOf<'session.create'>>> => {
      const creating = this.#created.get(run) ?? this.#create(domain, login);
      this.#created.set(run, creating);
      const created = await creating;
      if (created.ok) return done({});
      if (this.#created.get(run) === creating) this.#created.delete(run);
      return created;
    },
  };

  stop(): void {
    this.#created.clear();
  }

  async #create(domain: string, login: string): Promise<Outcome<NewSession>> {
    const user = await this.userOf(domain, login);
    if (!user.ok) return user;
    if (user.value === undefined) return failed(fault('not_found', `no user ${JSON.stringify(login)} in ${domain}`));
    return this.#sessions.open(user.value, domain);
  }
}
