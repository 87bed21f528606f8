/** Typed tokens: the names under which the containers of a process, a node and a role instance have what they are made of. */
import type { InjectionToken } from 'tsyringe';
import type { Inspect } from './actors/actor-logic.ts';
import type { Role, RoleScope } from './cluster/role.ts';
import type { Front } from './http/front.ts';
import type { Origins } from './http/origins.ts';
import type { ClusterMap, InstanceEntry } from './model/cluster/cluster-map.ts';
import type { RoleName } from './model/cluster/roles.ts';
import type { Clock } from './ports/clock.ts';
import type { HttpClient } from './ports/http-client.ts';
import type { HttpServer } from './ports/http-server.ts';
import type { Breakpoints } from './ports/instrumentation/breakpoints.ts';
import type { FaultPoints } from './ports/instrumentation/fault-points.ts';
import type { Probe } from './ports/instrumentation/probe.ts';
import type { Tracing } from './ports/instrumentation/tracing.ts';
import type { Link } from './ports/link.ts';
import type { Log } from './ports/log.ts';
import type { Outside } from './ports/outside.ts';
import type { Random } from './ports/random.ts';
import type { SampleFolder } from './ports/samples.ts';
import type { Sandbox } from './ports/sandbox.ts';
import type { SmsGateway } from './ports/sms-gateway.ts';
import type { Stores } from './ports/store.ts';
import type { MetadataFiles } from './services/web-apps/user-interface.ts';
import type { WebApps } from './services/web-apps/web-apps.ts';

function token<T>(name: string): InjectionToken<T> {
  return Symbol(name);
}

export const tokens = {
  /** Of the process. */
  map: token<ClusterMap>('map'),
  webApps: token<WebApps>('webApps'),
  /** Files of the metadata folder. */
  metadataFiles: token<MetadataFiles>('metadataFiles'),
  /** Whether fronts refuse what this product chose. */
  isStrict: token<boolean>('isStrict'),
  /** Whose pages the fronts serve, beside their own. */
  origins: token<Origins>('origins'),
  /** The front of every ws instance, with routes that are made once. */
  front: token<Front>('front'),
  httpServerOf: token<(instance: InstanceEntry) => HttpServer>('doorOf'),
  outside: token<Outside>('outside'),
  /** Folder of the audio matchers' samples. */
  samples: token<SampleFolder>('samples'),
  faultPoints: token<FaultPoints>('faultPoints'),
  /** Runs the JavaScript of scripts. */
  sandbox: token<Sandbox>('sandbox'),
  /** Where runs of scripts stop. */
  breakpoints: token<Breakpoints>('breakpoints'),
  /** Where scripts send short messages. */
  sms: token<SmsGateway>('sms'),
  /** Sends HTTP requests of scripts. */
  httpClient: token<HttpClient>('httpClient'),
  /** Absent where nothing observes the cluster. */
  probe: token<Probe>('probe'),
  /** Absent: nothing is traced. */
  tracing: token<Tracing>('tracing'),
  /** Receives the inspection events of XState. Absent: they are not made. */
  inspect: token<Inspect>('inspect'),
  /** Of a node; what a node does not set it inherits from its process. */
  clock: token<Clock>('clock'),
  random: token<Random>('random'),
  log: token<Log>('log'),
  link: token<Link>('link'),
  stores: token<Stores>('stores'),
  /** Stores that the nodes of its site share. */
  siteStores: token<Stores>('siteStores'),
  nodeName: token<string>('nodeName'),
  onTerminated: token<() => void>('onTerminated'),
  /** Of a role instance. */
  scope: token<RoleScope>('scope'),
};

/** The token under which the role of a name is made. */
export function roleToken<R extends RoleName>(role: R): InjectionToken<Role<R>> {
  return `role:${role}`;
}
