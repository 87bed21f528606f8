/** A run of the default campaign: the scenario and the topology that a seed draws, loaded as any other. */
import { parse, stringify } from 'yaml';
import { ClusterMap } from '../../src/model/cluster-map.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { SeededRandom } from '../random.ts';
import { type LoadedScenario, readScenario } from '../scenario/load.ts';
import { drawTopology } from '../topology/draw.ts';
import { type LoadedTopology, loadTopology } from '../topology/load.ts';
import { Chance } from './chance.ts';
import { drawScenario } from './draw.ts';

/** Small clusters: what fails there fails faster, and can be read. */
const knobs = { sites: [2, 3], nodes: [1, 3], domains: [1, 2], phones: [4, 8], providers: [0, 2] } as const;

/** The name under which its runs are told. */
export const campaignName = 'campaign';

export function loadCampaign(seed: number): LoadedScenario {
  const random = new SeededRandom(seed).fork('the campaign');
  const topology = topologyOf(random);
  const text = stringify(drawScenario(topology.map, random, seed), { lineWidth: 120 });
  return readScenario({ file: `campaign, seed ${seed}`, text }, () => topology);
}

/** The default cluster, or one that is drawn. Registrations are short, so that what is lost with all who knew it comes again. */
function topologyOf(random: SeededRandom): LoadedTopology {
  const shipped = loadTopology('default');
  const chance = new Chance(random.stream('faults'));
  const isShipped = chance.is(1 / 2);
  const value = isShipped
    ? parse(shipped.topologySource.text, { merge: true })
    : drawTopology(knobs, random.fork('the topology').stream('ids'));
  const maxexpires = chance.one([60, 120]);
  for (const { sipusers = [] } of value.domains) for (const user of sipusers) user.maxexpires = maxexpires;
  const file = isShipped ? shipped.topologySource.file : 'drawn';
  return {
    ...shipped,
    map: new ClusterMap(topologySchema.parse(value)),
    topologySource: { file, text: stringify(value) },
  };
}
