/**
 * The audio matcher of an mware instance: it compares announcements that called numbers play with its samples. Sound is not
 * simulated: an announcement equals a sample when it has its name and has played for `matchMs`.
 */
import { EntityHost } from '../../actors/entity-host.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { type MatcherCommand, type MatcherEvent, matcherMachine } from '../../machines/matcher.ts';
import type { Envelope } from '../../model/cluster/envelope.ts';
import { done, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { Sample } from '../../model/sample.ts';
import type { Timer } from '../../ports/clock.ts';
import type { SampleFolder } from '../../ports/samples.ts';
import { Partners } from '../partners.ts';

/** There is one per instance. */
const key = 'matcher';

export class AnnouncementMatcher {
  readonly #scope: RoleScope;
  readonly #folder: SampleFolder;
  readonly #host: EntityHost<typeof matcherMachine>;
  /** Announcements that play now, by the Call-Id of their leg; each depends on the b2b of its call. */
  readonly #jobs = new Map<string, Timer>();
  readonly #partners: Partners;

  constructor(scope: RoleScope, folder: SampleFolder) {
    const { clock, counters, crash } = scope;
    this.#scope = scope;
    this.#folder = folder;
    this.#partners = new Partners(scope, (callid) => this.#leave(callid));
    const onCommand = (_: string, command: MatcherCommand) => this.#execute(command);
    this.#host = new EntityHost({ machine: matcherMachine, clock, counters, onCommand, onCrash: crash });
  }

  readonly handlers = {
    'matcher.reload': (): Outcome<ReplyOf<'matcher.reload'>> => {
      const { loadMs, fails } = this.#scope.map.topology.matcher;
      if (!this.#host.has(key)) this.#host.start(key, { loadMs, fails });
      this.#host.send(key, { type: 'reload.requested' });
      return done({});
    },
    'matcher.status': async (): Promise<Outcome<ReplyOf<'matcher.status'>>> => {
      const onDisk = await this.#onDisk();
      const found = this.#host.snapshot(key);
      return done({
        is_loaded: found?.value === 'loaded',
        is_reload_needed: onDisk === undefined || !areEqual(onDisk, this.#samples),
        samples_dir: this.#folder.path,
        jobs_count: this.#jobs.size,
      });
    },
    'matcher.listen': (body: BodyOf<'matcher.listen'>, { from }: Envelope): void => this.#listen(body, from),
    'matcher.leave': ({ callid }: BodyOf<'matcher.leave'>): void => this.#leave(callid),
  };

  stop(): void {
    this.#host.stopAll();
    this.#partners.stop();
    for (const timer of this.#jobs.values()) timer.cancel();
    this.#jobs.clear();
  }

  get #samples(): readonly Sample[] {
    return this.#host.snapshot(key)?.context.samples ?? [];
  }

  /** Without samples there is nothing to compare with. A job lasts as long as its announcement, or until a sample fits. */
  #listen({ callid, plays }: BodyOf<'matcher.listen'>, b2b: string): void {
    this.#leave(callid);
    if (this.#samples.length === 0) return;
    if (this.#jobs.size >= limits.dialogs) return this.#scope.counters.add('matcher.refused');
    const { matchMs } = this.#scope.map.topology.matcher;
    this.#jobs.set(
      callid,
      this.#scope.clock.setTimer(matchMs, () => this.#compare(callid, plays, b2b)),
    );
    this.#partners.join(b2b, callid);
  }

  #compare(callid: string, plays: string, b2b: string): void {
    const fits = this.#samples.find(({ name }) => name === plays);
    if (fits === undefined) return;
    this.#leave(callid);
    this.#scope.tell(b2b, 'matcher.matched', { callid, sample: fits.name });
  }

  #leave(callid: string): void {
    this.#jobs.get(callid)?.cancel();
    this.#jobs.delete(callid);
    this.#partners.leave(callid);
  }

  /** Undefined: the folder cannot be read. */
  async #onDisk(): Promise<readonly Sample[] | undefined> {
    try {
      return await this.#folder.list();
    } catch (error) {
      this.#scope.log.write('warn', 'matcher.unreadable', { samplesDir: this.#folder.path, error: String(error) });
      return undefined;
    }
  }

  #execute({ type }: MatcherCommand): void {
    const { log } = this.#scope;
    const samplesDir = this.#folder.path;
    if (type === 'read.samples') void this.#read();
    else if (type === 'samples.failed') log.write('warn', 'matcher.failed', { samplesDir });
    else if (type === 'samples.loaded')
      log.write('info', 'matcher.loaded', { samplesDir, samples: this.#samples.length });
  }

  async #read(): Promise<void> {
    const samples = await this.#onDisk();
    const event: MatcherEvent =
      samples === undefined ? { type: 'samples.unreadable' } : { type: 'samples.read', samples };
    if (this.#host.has(key)) this.#host.send(key, event);
  }
}

function areEqual(some: readonly Sample[], others: readonly Sample[]): boolean {
  const isSame = (a: Sample, b: Sample | undefined) =>
    a.name === b?.name && a.bytes === b.bytes && a.changedMs === b.changedMs;
  return some.length === others.length && some.every((sample, at) => isSame(sample, others[at]));
}
