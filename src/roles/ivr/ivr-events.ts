/** Makes the events of the calls of IVR scripts (class ivrevents, declared in `model/events/ivrevents.ts`). */
import type { ivrevents } from '../../model/events/ivrevents.ts';
import type { RunResult } from '../../model/protocol/messages/script.ts';
import type { StreamSource } from '../../replication/stream-source.ts';
import type { EffectHandlers } from '../../scripts/effects.ts';

/** The call of a run. */
export interface RunCall {
  readonly runid: string;
  readonly scriptcode: string;
  readonly inviteid: string;
  readonly domain: string;
  readonly from: string;
  readonly to: string;
}

export class IvrEvents {
  readonly #source: StreamSource;

  constructor(source: StreamSource) {
    this.#source = source;
  }

  start(call: RunCall): void {
    this.#publish('ivr_start', call, { from: call.from, to: call.to });
  }

  stop(call: RunCall, { status, problem = '' }: Pick<RunResult, 'status' | 'problem'>): void {
    this.#publish('ivr_stop', call, { status, problem });
  }

  /** The handlers, each of which publishes the end of its effect. `callOf`: the call of a run while it is known. */
  published(handlers: EffectHandlers, callOf: (run: string) => RunCall | undefined): EffectHandlers {
    const entries = Object.entries(handlers).map(([type, handler]) => {
      const publishing: typeof handler = async (effect, isWanted) => {
        const result = await handler(effect, isWanted);
        const call = callOf(effect.run.id);
        if (call !== undefined)
          this.#publish('ivr_component', call, { component: effect.component, type, branch: result.branch });
        return result;
      };
      return [type, publishing] as const;
    });
    return Object.fromEntries(entries);
  }

  #publish(name: keyof typeof ivrevents, call: RunCall, more: Readonly<Record<string, unknown>>): void {
    const { runid, scriptcode, inviteid, domain, from, to } = call;
    const data = { runid, scriptcode, inviteid, domain, ...more };
    const objects = [runid, scriptcode, inviteid, from, to];
    this.#source.publish({ event: { class: 'ivrevents', name, domains: [domain], objects, data } });
  }
}
