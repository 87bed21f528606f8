/**
 * The border rules that a gate applies: those of the topology until it has the domain data. It fetches them from the
 * directory of its site at start and at intervals, and the directory notifies it of changes. Problems of a rule are logged.
 */

import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import { type BorderRule, BorderRules } from '../../model/numbers/border-rules.ts';
import type { Timer } from '../../ports/clock.ts';

export class Border {
  readonly #scope: RoleScope;
  #rules: BorderRules;
  /** Logged problems, by rule and problem. */
  #reported: ReadonlySet<string> = new Set();
  /** The directory that was asked last. */
  #directory: string | undefined;
  /** How often a directory was asked, and which of these asks brought the rules. */
  #asked = 0;
  #answered = 0;
  #next: Timer | undefined;

  constructor(scope: RoleScope) {
    this.#scope = scope;
    this.#rules = this.#compiled(scope.map.topology.borderrules);
    scope.onViewChange(() => this.#check());
    this.#check();
  }

  get rules(): BorderRules {
    return this.#rules;
  }

  readonly handlers = {
    'directory.changed': (_body: object, { from }: { from: string }): void => this.#ask(from),
  };

  /** Asks a directory that has become reachable. */
  #check(): void {
    const address = this.#activeDirectory()?.address;
    const isNew = address !== undefined && address !== this.#directory;
    this.#directory = address;
    if (isNew) this.#ask(address);
  }

  #ask(address: string): void {
    const scope = this.#scope;
    this.#next?.cancel();
    this.#next = scope.clock.setTimer(limits.dataPullMs, () => {
      if (this.#directory !== undefined) this.#ask(this.#directory);
    });
    this.#asked += 1;
    const asked = this.#asked;
    void scope.ask(address, 'directory.borderrules', {}).then((answer) => {
      const rules = answer.ok ? answer.value.rules : undefined;
      // The answer to a later ask may overtake it.
      if (rules === undefined || asked < this.#answered) return;
      this.#answered = asked;
      this.#rules = this.#compiled(rules);
    });
  }

  #compiled(rules: readonly BorderRule[]): BorderRules {
    const { instance, log } = this.#scope;
    const compiled = new BorderRules(rules, instance.site);
    const reported = new Set<string>();
    for (const { rule, field, problem } of compiled.problems) {
      const { id, priority, action } = rule;
      const key = JSON.stringify([priority, action, field, rule[field], problem]);
      if (!this.#reported.has(key)) log.write('warn', 'border.rule_problem', { id, priority, action, field, problem });
      reported.add(key);
    }
    this.#reported = reported;
    return compiled;
  }

  /** The sdc of the own site, if the site has one; else mdc. */
  #activeDirectory(): InstanceEntry | undefined {
    const { map, view, instance } = this.#scope;
    const own = map.serving('sdc', instance.site);
    if (own.length > 0) return own.find((each) => view.statusOf(each) === 'active');
    return activeInstances(this.#scope, 'mdc', map.masterDomain)[0];
  }
}
