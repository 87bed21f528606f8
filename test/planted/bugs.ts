/** All bugs that can be planted. */
import { acknowledgedBugs } from './bugs/acknowledged.ts';
import { callstoreBugs } from './bugs/callstore.ts';
import { clusterBugs } from './bugs/cluster.ts';
import { dataBugs } from './bugs/data.ts';
import { edgeBugs } from './bugs/edge.ts';
import { frontBugs } from './bugs/front.ts';
import { historyBugs } from './bugs/histories.ts';
import { outsiderBugs } from './bugs/outsiders.ts';
import { scriptBugs } from './bugs/scripts.ts';
import { signallingBugs } from './bugs/signalling.ts';
import { takeoverBugs } from './bugs/takeovers.ts';
import { waitingBugs } from './bugs/waiting.ts';
import type { PlantedBug } from './plant.ts';

export const plantedBugs: readonly PlantedBug[] = [
  ...signallingBugs,
  ...callstoreBugs,
  ...edgeBugs,
  ...dataBugs,
  ...frontBugs,
  ...clusterBugs,
  ...historyBugs,
  ...takeoverBugs,
  ...waitingBugs,
  ...outsiderBugs,
  ...scriptBugs,
  ...acknowledgedBugs,
];
