/** The service scripts of an mware group: the active instance runs them, and the one that takes over continues them. */
import { unreachableFault } from '../../cluster/ask-in-order.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { done, failed, type Outcome } from '../../model/fault.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import { verifyJwt } from '../../model/script/jwt.ts';
import type { ScriptRun } from '../../model/shapes/scripts.ts';
import type { HttpClient } from '../../ports/http-client.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { SmsGateway } from '../../ports/sms-gateway.ts';
import type { Stores } from '../../ports/store.ts';
import type { EffectHandler, EffectHandlers } from '../../scripts/effects.ts';
import { findScriptOf } from '../../scripts/find-script.ts';
import { httpHandler } from '../../scripts/http-requests.ts';
import type { RunRecord } from '../../scripts/run-record.ts';
import { RunStore } from '../../scripts/run-store.ts';
import { ScriptRuns } from '../../scripts/script-runs.ts';

/** The ports that scripts need. */
export interface ScriptPorts {
  readonly sandbox: Sandbox;
  readonly sms: SmsGateway;
  readonly httpClient: HttpClient;
  /** Stores that the nodes of the site share. */
  readonly siteStores: Stores;
}

export interface ServiceScriptsOptions extends ScriptPorts {
  readonly scope: RoleScope;
  /** Executes the component Operation. */
  readonly operation: EffectHandler;
}

export class ServiceScripts {
  readonly #options: ServiceScriptsOptions;
  #runs: ScriptRuns | undefined;
  /** Resolves when the runs of an earlier instance go on: a new one may be a duplicate of one of them. */
  #resumed: Promise<void> = Promise.resolve();

  constructor(options: ServiceScriptsOptions) {
    this.#options = options;
  }

  readonly handlers = {
    'script.run': async (body: BodyOf<'script.run'>): Promise<Outcome<ReplyOf<'script.run'>>> => {
      const { scope } = this.#options;
      const away = unreachableFault(scope.instance.address, scope.instance.site);
      const runs = this.#runs;
      if (runs === undefined) return failed(away);
      await this.#resumed;
      return runs === this.#runs ? runs.start({ ...body, kind: 'svcscript' }) : failed(away);
    },
  };

  /** The runs of a domain that this instance knows, for the journal. */
  readonly journal = {
    'script.runs': ({ domain }: BodyOf<'script.runs'>): Outcome<ReplyOf<'script.runs'>> => {
      const { site } = this.#options.scope.instance;
      return done({ runs: (this.#runs?.records(domain) ?? []).map((record) => shown(record, site)) });
    },
    'script.get': ({ domain, id }: BodyOf<'script.get'>): Outcome<ReplyOf<'script.get'>> => {
      const { site } = this.#options.scope.instance;
      const record = this.#runs?.records(domain).find((each) => each.id === id);
      if (record === undefined) return done({ run: null });
      const { steps, frames } = record;
      return done({ run: { ...shown(record, site), steps, variables: { ...frames[0]?.variables } } });
    },
  };

  serve(): void {
    const { scope, siteStores, sandbox, operation, sms, httpClient } = this.#options;
    const handlers: EffectHandlers = {
      operation,
      http: httpHandler(scope, httpClient),
      sms: smsHandler(sms),
    };
    const { group, srvidx } = scope.instance;
    const store = new RunStore(scope, siteStores, `scripts-${group ?? srvidx}`);
    const functions = {
      jwtverify: (token: unknown, key: unknown, options: unknown) => verifyJwt(token, key, options, scope.clock.now()),
    };
    this.#runs = new ScriptRuns({ scope, sandbox, handlers, store, functions, findScript: findScriptOf(scope) });
    this.#resumed = this.#runs.resume();
    this.#resumed.catch(scope.crash);
  }

  stop(): void {
    this.#runs?.stop();
    this.#runs = undefined;
  }
}

function shown({ requester: { by }, ...record }: RunRecord, site: string): ScriptRun {
  const { id, kind, code, status, problem, startedMs, endedMs, passed } = record;
  const ended = endedMs === undefined ? {} : { endts: endedMs };
  return {
    id,
    kind,
    code,
    by,
    site,
    status,
    startts: startedMs,
    passed,
    ...ended,
    ...(problem !== undefined && { problem }),
  };
}

function smsHandler(gateway: SmsGateway): EffectHandler {
  return async ({ run: { domain }, key, values }) => {
    const { to, text } = values;
    if (typeof to !== 'string' || typeof text !== 'string') {
      return { branch: 'failed', value: { problem: 'to, text: expected texts' } };
    }
    gateway.send({ key, domain, to, text });
    return { branch: 'next' };
  };
}
