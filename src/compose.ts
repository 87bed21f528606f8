/** The composition root of the platform: what a process, a node and a role instance are made of. Both worlds call it. */
import 'reflect-metadata';
import { container, type DependencyContainer, instanceCachingFactory } from 'tsyringe';
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
import { createEsg } from './roles/edge/esg.ts';
import { createSg } from './roles/edge/sg.ts';
import { createIvr } from './roles/ivr/ivr.ts';
import { createMware } from './roles/mware/mware.ts';
import { createSr } from './roles/sr/sr.ts';
import { Ws } from './roles/ws/ws.ts';
import { noMetadataFiles } from './services/web-apps/user-interface.ts';
import { roleToken, tokens } from './tokens.ts';

type Makers = { readonly [R in RoleName]: (scope: DependencyContainer) => Role<R> };

const makers: Makers = {
  ws: (scope) => makeWs(scope),
  esg: (scope) => createEsg(scope.resolve(tokens.scope), scope.resolve(tokens.outside)),
  sg: (scope) => createSg(scope.resolve(tokens.scope), scope.resolve(tokens.outside)),
  mdc: (scope) => createMdc(scope.resolve(tokens.scope), scope.resolve(tokens.siteStores)),
  sdc: (scope) => createSdc(scope.resolve(tokens.scope), scope.resolve(tokens.stores)),
  b2b: (scope) => createB2b(scope.resolve(tokens.scope)),
  conf: (scope) => createConf(scope.resolve(tokens.scope)),
  ivr: (scope) =>
    createIvr(scope.resolve(tokens.scope), {
      sandbox: scope.resolve(tokens.sandbox),
      sms: scope.resolve(tokens.sms),
      httpClient: scope.resolve(tokens.httpClient),
      breakpoints: scope.resolve(tokens.breakpoints),
    }),
  mware: (scope) =>
    createMware(scope.resolve(tokens.scope), {
      samples: scope.resolve(tokens.samples),
      sandbox: scope.resolve(tokens.sandbox),
      sms: scope.resolve(tokens.sms),
      httpClient: scope.resolve(tokens.httpClient),
      breakpoints: scope.resolve(tokens.breakpoints),
      siteStores: scope.resolve(tokens.siteStores),
    }),
  callstore: (scope) => createCallstore(scope.resolve(tokens.scope), scope.resolve(tokens.stores)),
  sr: (scope) => createSr(scope.resolve(tokens.scope)),
  /** It has no messages of its own: its node carries those between sites. */
  rpco: () => ({ handlers: {} }),
};

/** A scope of its own for one process. The caller registers the map, the web apps, the HTTP servers and the process's ports. */
export function composeProcess(): DependencyContainer {
  const scope = container.createChildContainer();
  scope.register(tokens.isStrict, { useValue: false });
  scope.register(tokens.origins, { useValue: noOrigins });
  scope.register(tokens.metadataFiles, { useValue: noMetadataFiles });
  scope.register(tokens.faultPoints, { useValue: noFaultPoints });
  scope.register(tokens.breakpoints, { useValue: noBreakpoints });
  scope.register(tokens.front, { useFactory: instanceCachingFactory(makeFront) });
  for (const [role, make] of Object.entries(makers) as [RoleName, RoleFactoryOf][]) {
    scope.register(roleToken(role), { useFactory: make });
  }
  return scope;
}

type RoleFactoryOf = (scope: DependencyContainer) => Role;

/** How a role is made in the scope of its instance. */
export function makerOf<R extends RoleName>(role: R): (scope: DependencyContainer) => Role<R> {
  return makers[role];
}

/** A node in a scope below its process's. The caller has registered its name and its ports in that scope. */
export function composeNode(scope: DependencyContainer): Node {
  return new Node({
    map: scope.resolve(tokens.map),
    name: scope.resolve(tokens.nodeName),
    clock: scope.resolve(tokens.clock),
    link: scope.resolve(tokens.link),
    stores: scope.resolve(tokens.stores),
    random: scope.resolve(tokens.random),
    log: scope.resolve(tokens.log),
    faultPoints: scope.resolve(tokens.faultPoints),
    makeRole: roleFactory(scope),
    onTerminated: scope.resolve(tokens.onTerminated),
    probe: scope.isRegistered(tokens.probe, true) ? scope.resolve(tokens.probe) : undefined,
    tracing: scope.isRegistered(tokens.tracing, true) ? scope.resolve(tokens.tracing) : undefined,
    inspect: scope.isRegistered(tokens.inspect, true) ? scope.resolve(tokens.inspect) : undefined,
  });
}

function roleFactory(node: DependencyContainer): RoleFactory {
  return (roleScope) => {
    const scope = node.createChildContainer();
    scope.register(tokens.scope, { useValue: roleScope });
    return scope.resolve(roleToken(roleScope.instance.role));
  };
}

function makeFront(scope: DependencyContainer): Front {
  return createFront({
    webApps: scope.resolve(tokens.webApps),
    metadataFiles: scope.resolve(tokens.metadataFiles),
    isStrict: scope.resolve(tokens.isStrict),
    origins: scope.resolve(tokens.origins),
  });
}

function makeWs(scope: DependencyContainer): Ws {
  const roleScope = scope.resolve(tokens.scope);
  const httpServer = scope.resolve(tokens.httpServerOf)(roleScope.instance);
  const origins = scope.resolve(tokens.origins);
  return new Ws({
    scope: roleScope,
    stores: scope.resolve(tokens.stores),
    httpServer,
    makeFront: (ws) => scope.resolve(tokens.front)(ws),
    makeWebSockets: (ws) => createWebSockets(ws, origins),
  });
}
