/** The composition root of the platform: what a process, a node and a role instance are made of. Both worlds call it. */
import 'reflect-metadata';
import { type DependencyContainer, instanceCachingFactory, container as rootContainer } from 'tsyringe';
import { Node } from './cluster/node.ts';
import type { Role, RoleFactory } from './cluster/role.ts';
import { createFront, type Front } from './http/front.ts';
import { noOrigins } from './http/origins.ts';
import { createWebSockets } from './http/web-sockets.ts';
import type { RoleName } from './model/cluster/roles.ts';
import { noBreakpoints } from './ports/instrumentation/breakpoints.ts';
import { noFaultPoints } from './ports/instrumentation/fault-points.ts';
import { createB2b } from './roles/b2b/b2b.ts';
import { createCallstore } from './roles/callstore/callstore.ts';
import { createConf } from './roles/conf/conf.ts';
import { createMdc } from './roles/directory/mdc.ts';
import { createSdc } from './roles/directory/sdc.ts';
import type { EdgePorts } from './roles/edge/edge.ts';
import { createEsg } from './roles/edge/esg.ts';
import { createSg } from './roles/edge/sg.ts';
import { createIvr } from './roles/ivr/ivr.ts';
import { createMware } from './roles/mware/mware.ts';
import { createSr } from './roles/sr/sr.ts';
import { Ws } from './roles/ws/ws.ts';
import { noMetadataFiles } from './services/web-apps/user-interface.ts';
import { roleToken, tokens } from './tokens.ts';

type Makers = { readonly [R in RoleName]: (container: DependencyContainer) => Role<R> };

const makers: Makers = {
  ws: (container) => makeWs(container),
  esg: (container) => createEsg(container.resolve(tokens.scope), edgePorts(container)),
  sg: (container) => createSg(container.resolve(tokens.scope), edgePorts(container)),
  mdc: (container) => createMdc(container.resolve(tokens.scope), container.resolve(tokens.siteStores)),
  sdc: (container) => createSdc(container.resolve(tokens.scope), container.resolve(tokens.stores)),
  b2b: (container) => createB2b(container.resolve(tokens.scope)),
  conf: (container) => createConf(container.resolve(tokens.scope)),
  ivr: (container) =>
    createIvr(container.resolve(tokens.scope), {
      sandbox: container.resolve(tokens.sandbox),
      sms: container.resolve(tokens.sms),
      httpClient: container.resolve(tokens.httpClient),
      breakpoints: container.resolve(tokens.breakpoints),
    }),
  mware: (container) =>
    createMware(container.resolve(tokens.scope), {
      samples: container.resolve(tokens.samples),
      sandbox: container.resolve(tokens.sandbox),
      sms: container.resolve(tokens.sms),
      httpClient: container.resolve(tokens.httpClient),
      breakpoints: container.resolve(tokens.breakpoints),
      siteStores: container.resolve(tokens.siteStores),
    }),
  callstore: (container) => createCallstore(container.resolve(tokens.scope), container.resolve(tokens.stores)),
  sr: (container) => createSr(container.resolve(tokens.scope)),
  /** It has no messages of its own: its node carries those between sites. */
  rpco: () => ({ handlers: {} }),
};

function edgePorts(container: DependencyContainer): EdgePorts {
  return { outside: container.resolve(tokens.outside), stores: container.resolve(tokens.stores) };
}

/** A container of its own for one process. The caller registers the map, the web apps, the HTTP servers and the process's ports. */
export function composeProcess(): DependencyContainer {
  const container = rootContainer.createChildContainer();
  container.register(tokens.isStrict, { useValue: false });
  container.register(tokens.origins, { useValue: noOrigins });
  container.register(tokens.metadataFiles, { useValue: noMetadataFiles });
  container.register(tokens.faultPoints, { useValue: noFaultPoints });
  container.register(tokens.breakpoints, { useValue: noBreakpoints });
  container.register(tokens.front, { useFactory: instanceCachingFactory(makeFront) });
  for (const [role, make] of Object.entries(makers) as [RoleName, RoleFactoryOf][]) {
    container.register(roleToken(role), { useFactory: make });
  }
  return container;
}

type RoleFactoryOf = (container: DependencyContainer) => Role;

/** How a role is made in the container of its instance. */
export function makerOf<R extends RoleName>(role: R): (container: DependencyContainer) => Role<R> {
  return makers[role];
}

/** A node in a container below its process's. The caller has registered its name and its ports in that container. */
export function composeNode(container: DependencyContainer): Node {
  return new Node({
    map: container.resolve(tokens.map),
    name: container.resolve(tokens.nodeName),
    clock: container.resolve(tokens.clock),
    link: container.resolve(tokens.link),
    stores: container.resolve(tokens.stores),
    random: container.resolve(tokens.random),
    log: container.resolve(tokens.log),
    faultPoints: container.resolve(tokens.faultPoints),
    makeRole: roleFactory(container),
    onTerminated: container.resolve(tokens.onTerminated),
    probe: container.isRegistered(tokens.probe, true) ? container.resolve(tokens.probe) : undefined,
    tracing: container.isRegistered(tokens.tracing, true) ? container.resolve(tokens.tracing) : undefined,
    inspect: container.isRegistered(tokens.inspect, true) ? container.resolve(tokens.inspect) : undefined,
  });
}

function roleFactory(node: DependencyContainer): RoleFactory {
  return (roleScope) => {
    const container = node.createChildContainer();
    container.register(tokens.scope, { useValue: roleScope });
    return container.resolve(roleToken(roleScope.instance.role));
  };
}

function makeFront(container: DependencyContainer): Front {
  return createFront({
    webApps: container.resolve(tokens.webApps),
    metadataFiles: container.resolve(tokens.metadataFiles),
    isStrict: container.resolve(tokens.isStrict),
    origins: container.resolve(tokens.origins),
  });
}

function makeWs(container: DependencyContainer): Ws {
  const roleScope = container.resolve(tokens.scope);
  const httpServer = container.resolve(tokens.httpServerOf)(roleScope.instance);
  const origins = container.resolve(tokens.origins);
  return new Ws({
    scope: roleScope,
    stores: container.resolve(tokens.stores),
    httpServer,
    makeFront: (ws) => container.resolve(tokens.front)(ws),
    makeWebSockets: (ws) => createWebSockets(ws, origins),
  });
}
