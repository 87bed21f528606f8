/** The audio matcher of a mware instance: media are not simulated, so it is its life and what it tells of it. */
import { type MatcherOrder, matcherMachine } from '../../machines/matcher.ts';
import { done, type Outcome } from '../../model/fault.ts';
import type { ReplyOf } from '../../model/protocol/catalogue.ts';
import { EntityHost } from '../../runtime/entity-host.ts';
import type { RoleScope } from '../../runtime/role.ts';

/** There is one in each instance. */
const key = 'matcher';

export class Matcher {
  readonly #scope: RoleScope;
  readonly #host: EntityHost<typeof matcherMachine>;

  constructor(scope: RoleScope) {
    const { clock, counters, crash } = scope;
    this.#scope = scope;
    const onOrder = (_: string, order: MatcherOrder) => this.#obey(order);
    this.#host = new EntityHost({ machine: matcherMachine, clock, counters, onOrder, onCrash: crash });
  }

  readonly handlers = {
    'matcher.reload': (): Outcome<ReplyOf<'matcher.reload'>> => {
      const { loadMs, fails } = this.#scope.map.topology.matcher;
      if (!this.#host.has(key)) this.#host.start(key, { loadMs, fails });
      this.#host.send(key, { type: 'reload.requested' });
      return done({});
    },
    'matcher.status': (): Outcome<ReplyOf<'matcher.status'>> => {
      const { samplesDir } = this.#scope.map.topology.matcher;
      const found = this.#host.snapshot(key);
      const isLoading = found?.value === 'loading';
      return done({
        is_loaded: found?.value === 'loaded',
        is_reload_needed: found?.value === 'failed',
        samples_dir: samplesDir,
        jobs_count: isLoading ? 1 + Number(found.context.isAgainWanted) : 0,
      });
    },
  };

  stop(): void {
    this.#host.stopAll();
  }

  #obey({ type }: MatcherOrder): void {
    const { samplesDir } = this.#scope.map.topology.matcher;
    if (type === 'samples.failed') this.#scope.log.write('warn', 'matcher.failed', { samplesDir });
    else this.#scope.log.write('info', 'matcher.loaded', { samplesDir });
  }
}
