/** The scope of the process of a world: what the simulated worlds, virtual and live, register for the platform. */
import type { DependencyContainer } from 'tsyringe';
import { composeProcess } from '../../src/compose.ts';
import type { ClusterMap, InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import type { HttpClient } from '../../src/ports/http-client.ts';
import type { HttpServer } from '../../src/ports/http-server.ts';
import type { SampleFolder } from '../../src/ports/samples.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import type { SmsGateway } from '../../src/ports/sms-gateway.ts';
import type { MetadataFiles } from '../../src/services/web-apps/user-interface.ts';
import type { WebApps } from '../../src/services/web-apps/web-apps.ts';
import { tokens } from '../../src/tokens.ts';
import { SimulatedSamples } from '../ports/samples.ts';

export interface WorldContents {
  readonly map: ClusterMap;
  readonly webApps: WebApps;
  /** Files of the metadata folder. */
  readonly metadataFiles?: MetadataFiles | undefined;
  /** The folder of the audio matchers; default: that of the topology. */
  readonly samples?: SampleFolder | undefined;
}

/** The systems outside to which scripts send. */
export interface OtherSystems {
  readonly deliveries: HttpClient;
  readonly sms: SmsGateway;
}

interface WorldPorts {
  readonly httpServerOf: (instance: InstanceEntry) => HttpServer;
  readonly sandbox: Sandbox;
  /** Called when the first instance needs it. */
  readonly outside: () => OtherSystems;
}

export function worldScope(
  contents: WorldContents,
  { httpServerOf, sandbox, outside }: WorldPorts,
): DependencyContainer {
  const { map, webApps, metadataFiles, samples = new SimulatedSamples(map.topology.matcher) } = contents;
  const scope = composeProcess();
  scope.register(tokens.map, { useValue: map });
  scope.register(tokens.webApps, { useValue: webApps });
  if (metadataFiles !== undefined) scope.register(tokens.metadataFiles, { useValue: metadataFiles });
  scope.register(tokens.samples, { useValue: samples });
  scope.register(tokens.httpServerOf, { useValue: httpServerOf });
  scope.register(tokens.sandbox, { useValue: sandbox });
  scope.register(tokens.httpClient, { useFactory: () => outside().deliveries });
  scope.register(tokens.sms, { useFactory: () => outside().sms });
  return scope;
}
