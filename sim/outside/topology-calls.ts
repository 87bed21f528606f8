/** The calls that a topology has from its start. */
import type { TopologyCall } from '../../src/model/topology/schema.ts';
import { type Clock, passed } from '../../src/ports/clock.ts';
import type { CallProgress } from './endpoints/party-machine.ts';

export interface TopologyCallsOptions {
  readonly clock: Clock;
  /** Makes a call. Throws if it cannot be made now. */
  readonly place: (from: string, to: string, options: CallOptions) => void;
}

type CallOptions = Omit<TopologyCall, 'from' | 'to'> & { readonly onProgress: (progress: CallProgress) => void };

/** How long a call of the topology may take to be answered, and the interval at which it is made again. */
const [answerMs, againMs] = [30_000, 500];
const noAnswer = `no answer within ${answerMs / 1_000} s`;
/** Refusals by a registrar that does not have the registration of the callee, or not yet. */
const notRegistered: readonly number[] = [480, 503];

interface UnansweredCall {
  readonly reason: string;
  readonly mayChange?: boolean;
}

/** Makes the calls, and resolves when all are answered. Rejects if one is not. */
export function makeTopologyCalls(calls: readonly TopologyCall[], options: TopologyCallsOptions): Promise<unknown> {
  return Promise.all(calls.map((call, index) => begin(options, call, index)));
}

/** Resolves when a call of the topology has been answered. A callee whose registration is not known yet is called again. */
async function begin({ clock, place }: TopologyCallsOptions, call: TopologyCall, index: number): Promise<void> {
  const untilMs = clock.now() + answerMs;
  for (;;) {
    const failure = await answered({ clock, place }, call, untilMs);
    if (failure === undefined) return;
    if (!failure.mayChange || clock.now() + againMs > untilMs)
      throw new Error(`calls[${index}]: ${call.from} calls ${call.to}: ${failure.reason}`);
    await passed(clock, againMs);
  }
}

/** Resolves to `undefined` when a call has been answered, else to the reason. */
function answered(
  { clock, place }: TopologyCallsOptions,
  { from, to, ...options }: TopologyCall,
  untilMs: number,
): Promise<UnansweredCall | undefined> {
  return new Promise((resolve) => {
    const patience = clock.setTimer(untilMs - clock.now(), () => resolve({ reason: noAnswer }));
    const end = (failure?: UnansweredCall) => {
      patience.cancel();
      resolve(failure);
    };
    const onProgress = (progress: CallProgress) => {
      if (progress.type === 'answered') end();
      if (progress.type === 'ended') end({ reason: 'expected an answer, got the end of the call' });
      if (progress.type !== 'failed') return;
      const { status } = progress;
      end({ reason: `expected an answer, got ${status}`, mayChange: notRegistered.includes(status) });
    };
    try {
      place(from, to, { ...options, onProgress });
    } catch (error) {
      end({ reason: error instanceof Error ? error.message : String(error) });
    }
  });
}
