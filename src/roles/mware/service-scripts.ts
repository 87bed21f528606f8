/** The service scripts of an mware group: the active instance runs them, and the one that takes over continues them. */
import { unreachableFault } from '../../cluster/messaging/ask-in-order.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { failed, type Outcome } from '../../model/fault.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { Stores } from '../../ports/store.ts';
import { commonEffects, type EffectPorts, scriptFunctions } from '../../scripts/common-effects.ts';
import type { EffectHandler } from '../../scripts/effects.ts';
import { findScriptOf } from '../../scripts/find-script.ts';
import { RunStore } from '../../scripts/run-store.ts';
import { scriptJournal } from '../../scripts/script-journal.ts';
import { ScriptRuns } from '../../scripts/script-runs.ts';

/** The ports that scripts need. */
export interface ScriptPorts extends EffectPorts {
  readonly sandbox: Sandbox;
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

  get journal() {
    return scriptJournal(this.#options.scope, () => this.#runs);
  }

  serve(): void {
    const { scope, siteStores, sandbox, operation, sms, httpClient, breakpoints } = this.#options;
    const handlers = { operation, ...commonEffects(scope, { httpClient, sms }) };
    const { group, srvidx } = scope.instance;
    const store = new RunStore(scope, siteStores, `scripts-${group ?? srvidx}`);
    const functions = scriptFunctions(scope);
    const findScript = findScriptOf(scope);
    this.#runs = new ScriptRuns({ scope, sandbox, handlers, store, functions, breakpoints, findScript });
    this.#resumed = this.#runs.resume();
    this.#resumed.catch(scope.crash);
  }

  stop(): void {
    this.#runs?.stop();
    this.#runs = undefined;
  }
}
