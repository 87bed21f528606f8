/** The engine of scripts over a simulated store in virtual time, without a cluster; a second one may take over from the first. */

import { SeededRandom } from '../../sim/ports/random.ts';
import { SimulatedStores } from '../../sim/ports/store.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { Counters } from '../../src/actors/counters.ts';
import { ScopedClock } from '../../src/actors/scoped-clock.ts';
import { quickJs } from '../../src/adapters/quickjs-sandbox.ts';
import type { RoleScope } from '../../src/cluster/role.ts';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { done, failed, fault, type Outcome } from '../../src/model/fault.ts';
import type { RunResult } from '../../src/model/protocol/messages/script.ts';
import type { Component } from '../../src/model/script/component.ts';
import { type Topology, topologySchema } from '../../src/model/topology/schema.ts';
import { type FaultPoint, InjectedCrash } from '../../src/ports/instrumentation/fault-points.ts';
import type { EffectHandlers } from '../../src/scripts/effects.ts';
import { RunStore } from '../../src/scripts/run-store.ts';
import { ScriptRuns } from '../../src/scripts/script-runs.ts';
import { oneNode } from './front.ts';
import { idle, silentLog } from './quiet.ts';

export const domain = 'acme.root.test';

export type Settings = Partial<Topology['domains'][number]['opts']>;

export class ScriptEngine {
  readonly clock = new VirtualClock(0);
  readonly #stores = new SimulatedStores({ clock: this.clock, random: new SeededRandom(1).stream('faults') });
  readonly #scripts = new Map<string, readonly Component[]>();
  readonly #map: ClusterMap;
  readonly #handlers: EffectHandlers;
  /** Fault points that fire once more. */
  readonly firing = new Set<FaultPoint>();
  /** Codes of scripts that cannot be read. */
  readonly unreadable = new Set<string>();
  /** How long the next look-ups of a script take (ms). */
  readonly lookUpsMs: number[] = [];
  #instance = 0;
  #living: { readonly clock: ScopedClock; readonly node: string } | undefined;
  runs: ScriptRuns;

  constructor(handlers: EffectHandlers = {}, settings: Settings = {}) {
    const domains = oneNode.domains.map((each) => (each.name === domain ? { ...each, opts: settings } : each));
    this.#map = new ClusterMap(topologySchema.parse({ ...oneNode, domains }));
    this.#handlers = handlers;
    this.runs = this.#begin();
  }

  /** Another instance takes over: what was not stored is lost. */
  async takeOver(): Promise<void> {
    this.#living?.clock.end();
    this.runs.stop();
    if (this.#living !== undefined) this.#stores.crash(this.#living.node);
    this.runs = this.#begin();
    const resumed = this.runs.resume();
    await this.comes(resumed);
  }

  /** Defines a script; the name of each component is its key, and the first one is next to `start`. */
  define(code: string, components: Readonly<Record<string, Record<string, unknown>>>): void {
    const [first] = Object.keys(components);
    const list = Object.entries(components).map(([name, rest]) => ({ name, ...rest }) as unknown as Component);
    this.#scripts.set(code, [{ name: 'start', type: 'start', next: first }, ...list]);
  }

  start(code: string, params: readonly unknown[] = [], id = code): Promise<Outcome<RunResult>> {
    return this.runs.start({ id, kind: 'svcscript', domain, code, params, requester: { by: 'api' } });
  }

  /** Runs a script to its end. */
  async run(code: string, params: readonly unknown[] = [], id = code): Promise<RunResult> {
    const outcome = await this.comes(this.start(code, params, id));
    if (!outcome.ok) throw new Error(outcome.fault.message);
    return outcome.value;
  }

  async comes<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (await idle(); !isSettled; await idle())
      if (!this.clock.runNext()) throw new Error('nothing is left to happen');
    return promise;
  }

  async pass(ms: number): Promise<void> {
    const untilMs = this.clock.now() + ms;
    for (await idle(); (this.clock.nextDeadlineMs() ?? Infinity) <= untilMs; await idle()) this.clock.runNext();
    this.clock.advanceTo(untilMs);
    await idle();
  }

  #begin(): ScriptRuns {
    this.#instance += 1;
    const node = `n${this.#instance}`;
    const clock = new ScopedClock(this.clock);
    this.#living = { clock, node };
    const scope = {
      clock,
      map: this.#map,
      counters: new Counters(),
      instance: { address: `hq/${node}/mware-1`, site: 'hq' },
      log: silentLog,
      random: new SeededRandom(1),
      faultPoints: { fires: (point: FaultPoint) => this.firing.delete(point) },
      crash: (error: unknown) => {
        if (!(error instanceof InjectedCrash)) throw error;
        this.runs.stop();
      },
    } as unknown as RoleScope;
    const store = new RunStore(scope, this.#stores.shared('site', node), 'scripts');
    const findScript = async (_: string, _kind: string, code: string) => {
      const ms = this.lookUpsMs.shift() ?? 0;
      if (ms > 0) await new Promise<void>((resolve) => clock.setTimer(ms, resolve));
      return this.unreadable.has(code) ? failed(fault('unreachable', 'mdc is away')) : done(this.#scripts.get(code));
    };
    return new ScriptRuns({ scope, sandbox: quickJs, handlers: this.#handlers, findScript, store });
  }
}
