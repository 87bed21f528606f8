/** A run in which every event is sent, and what is sent: the source of the examples in the reference of events. */
import { join } from 'node:path';
import type { StreamItem } from '../../../src/model/protocol/messages/stream.ts';
import { scenariosFolder } from '../../input/package-folder.ts';
import { loadScenario } from '../../scenario/load.ts';
import { runScenario } from '../../scenario/run/runner.ts';
import { VirtualWorld } from '../../world/virtual.ts';

/** An event, and when it was sent (milliseconds since the cluster was ready). */
export interface SentEvent {
  readonly class: string;
  readonly name: string;
  readonly atMs: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Runs `scenarios/examples/every-event.yaml` in virtual time. Resolves to its events, each once, in the order of their sending. */
export async function sentEvents(): Promise<SentEvent[]> {
  const { scenario, map, webApps } = loadScenario(join(scenariosFolder, 'examples', 'every-event.yaml'));
  const world = new VirtualWorld({ map, webApps, seed: scenario.seed });
  const sent = new Map<unknown, SentEvent>();
  let readyMs = world.now();
  world.observe(
    ({ envelope, atMs }) => {
      const { items } = envelope.body as { readonly items: readonly StreamItem[] };
      for (const { event } of items) {
        if (event === undefined) continue;
        const { class: of, name, data } = event;
        if (!sent.has(data['eventid'])) sent.set(data['eventid'], { class: of, name, atMs: atMs - readyMs, data });
      }
    },
    { kinds: ['envelope.sent'], types: ['stream.published'] },
  );
  const report = await runScenario(scenario, world, {
    seed: scenario.seed,
    onReady: () => {
      readyMs = world.now();
    },
  });
  if (report.verdict !== 'pass') throw new Error(`${scenario.name}: ${report.verdict}, expected pass`);
  return [...sent.values()];
}
