/** The virtual world of a scenario. */
import { VirtualWorld, type VirtualWorldOptions } from '../../world/virtual.ts';
import type { WorldContents } from '../../world/world-scope.ts';
import type { LoadedScenario } from '../load-scenario.ts';

/** What the scenario does not say. */
type Wanted = Omit<VirtualWorldOptions, keyof WorldContents | 'startMs' | 'faultPoints'>;

export function virtualWorldOf(
  { scenario, map, webApps, metadataFiles }: Omit<LoadedScenario, 'source' | 'topologySource'>,
  wanted: Wanted,
): VirtualWorld {
  const { faultPoints, starts } = scenario;
  const startMs = starts === undefined ? undefined : Date.parse(starts);
  return new VirtualWorld({ map, webApps, metadataFiles, faultPoints, startMs, ...wanted });
}
