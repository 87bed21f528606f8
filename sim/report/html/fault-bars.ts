/**
 * The faults of a run as bars: each from its begin until it is lifted, until its target is repaired by another verb, or
 * until the crashed target runs again.
 */
import { endedBy, repairs } from '../../faults/verbs.ts';
import type { Observation, ObservationKind } from '../../observation/observation.ts';
import type { FaultBar } from './page-data.ts';

export const faultKinds = [
  'fault.inflicted',
  'fault.mended',
  'instance.status',
  'node.started',
  'node.ended',
] as const satisfies readonly ObservationKind[];

type Heard = Extract<Observation, { kind: (typeof faultKinds)[number] }>;

/** Targets without an active fault of this kind: `converge` uses the verb on all targets. */
const harmless: ReadonlySet<string> = new Set(['resumeNode', 'revive', 'makeRoom']);

/** The parameter of a verb as text. */
const figures: Readonly<Record<string, (figure: number) => string>> = {
  delay: (ms) => `by ${ms} ms`,
  delayOutside: (ms) => `by ${ms} ms`,
  delayHttp: (ms) => `by ${ms} ms`,
  skew: (ms) => `by ${ms} ms`,
  slowStore: (ms) => `by ${ms} ms`,
  flap: (ms) => `every ${ms} ms`,
  flapOutside: (ms) => `every ${ms} ms`,
  swizzle: (ms) => `over ${ms} ms`,
  lose: (probability) => `probability ${probability}`,
  loseOutside: (probability) => `probability ${probability}`,
  duplicate: (probability) => `probability ${probability}`,
  duplicateOutside: (probability) => `probability ${probability}`,
  refuseRegister: (status) => `status ${status}`,
};

interface Bar {
  readonly fault: number;
  readonly what: string;
  readonly fromMs: number;
  /** The verb of the bar and the one that ends it; none for faults that are lifted. */
  readonly over: string | undefined;
  untilMs?: number;
}

export class FaultBars {
  readonly #bars: Bar[] = [];

  see(observation: Heard): void {
    const { atMs } = observation;
    switch (observation.kind) {
      case 'fault.inflicted':
        return this.#begin(observation);
      case 'fault.mended':
        return this.#end(atMs, ({ fault, over }) => fault === observation.fault && over === undefined);
      case 'node.started':
        return this.#undo(atMs, `restartNode ${observation.node}`);
      case 'node.ended':
        return this.#undo(atMs, `resumeNode ${observation.node}`);
      case 'instance.status': {
        const { instance, status } = observation;
        const name = instance.slice(instance.lastIndexOf('/') + 1);
        return status === 'active' || status === 'standby' ? this.#undo(atMs, `restartInstance ${name}`) : undefined;
      }
    }
  }

  /** The bars, sorted by their begin; `since` converts times of the world. */
  all(since: (atMs: number) => number): FaultBar[] {
    return this.#bars.map(({ what, fromMs, untilMs }) => ({
      what,
      fromMs: since(fromMs),
      ...(untilMs !== undefined && { untilMs: since(untilMs) }),
    }));
  }

  #begin({ fault, verb, args, atMs }: Extract<Heard, { kind: 'fault.inflicted' }>): void {
    if (verb === 'mend') return this.#end(atMs, ({ over }) => over === undefined);
    const name = String(args[0]);
    if (repairs.has(verb) && this.#stands(`${verb} ${name}`)) return this.#undo(atMs, `${verb} ${name}`);
    if (harmless.has(verb)) return undefined;
    const over = endedBy[verb];
    this.#bars.push({
      fault,
      what: wordsOf(verb, args),
      fromMs: atMs,
      over: over === undefined ? undefined : `${over} ${name}`,
    });
  }

  #stands(over: string): boolean {
    return this.#bars.some((bar) => bar.over === over && bar.untilMs === undefined);
  }

  #undo(atMs: number, over: string): void {
    this.#end(atMs, (bar) => bar.over === over);
  }

  #end(atMs: number, isOver: (bar: Bar) => boolean): void {
    for (const bar of this.#bars) if (bar.untilMs === undefined && isOver(bar)) bar.untilMs = atMs;
  }
}

/** `crash esg-221`, `delay north to south, by 250 ms`. */
function wordsOf(verb: string, args: readonly unknown[]): string {
  const figure = figures[verb] ?? String;
  const words = args.map((arg) => (typeof arg === 'number' ? figure(arg) : placeText(arg)));
  return `${verb.replace(/(Node|Instance)$/, '')} ${words.filter((text) => text !== '').join(', ')}`;
}

/** `north to south, kinds ask`: the places and parameters of a fault. */
function placeText(arg: unknown): string {
  if (Array.isArray(arg)) return arg.map(placeText).join(', ');
  if (typeof arg !== 'object' || arg === null) return String(arg);
  const { from, to, ...rest } = arg as Record<string, unknown>;
  const places = [from, to].filter((place) => place !== undefined).map(placeText);
  const details = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined ? [] : [value === true ? name : `${name} ${placeText(value)}`],
  );
  return [places.join(' to '), ...details].filter((text) => text !== '').join(', ');
}
