/** All routes of a front, and their strict form, which refuses what this product has added. */
import { z } from 'zod';
import { FaultError, fault } from '../model/fault.ts';
import { sourceKey } from '../model/provenance.ts';
import { type MetadataFiles, noMetadataFiles } from '../services/web-apps/user-interface.ts';
import type { WebApps } from '../services/web-apps/web-apps.ts';
import { type Contract, type Given, isBytes, type RouteDefinition, type Takes } from './contract.ts';
import { readBody } from './read-request.ts';
import { audioMatcherRoutes } from './routes/audio-matcher.ts';
import { callRoutes } from './routes/calls.ts';
import { conferenceRoutes } from './routes/conferences.ts';
import { documentRoutes } from './routes/docs.ts';
import { domainRoutes, sipUserStateRoutes } from './routes/domains.ts';
import { entityRoutes } from './routes/entities.ts';
import { journalRoutes } from './routes/journal.ts';
import { networkFilterRoutes } from './routes/network-filters.ts';
import { healthRoutes, nodeRoutes } from './routes/nodes.ts';
import { recordingRoutes } from './routes/recordings.ts';
import { chatScriptRoutes } from './routes/scripts/chat-scripts.ts';
import { execRoutes } from './routes/scripts/exec.ts';
import { externalRoutes } from './routes/scripts/external.ts';
import { selectorRoutes } from './routes/selectors.ts';
import { sessionRoutes, socketRoutes } from './routes/sessions.ts';
import { soundFileRoutes } from './routes/sound-files.ts';
import { dashboardRoutes, metadataRoutes } from './routes/web-apps/user-interface.ts';
import { appRoutes, archiveRoutes, staticRoutes } from './routes/web-apps/web-apps.ts';

/**
 * The routes of a strict server: what the platform documents or public facts name. It refuses what this product chose, so
 * that no client relies on it. Routes of the tool are kept.
 */
export function strictRoutes(routes: readonly RouteDefinition[]): RouteDefinition[] {
  return routes
    .filter(({ source, isTool = false }) => isTool || source !== 'chosen')
    .map((route) => (route.isTool === true ? route : strict(route)));
}

function strict(route: RouteDefinition): RouteDefinition {
  const { takes, answer } = route;
  if (takes === undefined) return route;
  return {
    ...route,
    takes: strictTakes(takes),
    gives: strictGives(route.gives),
    answer: async (exchange) => {
      await refuseChosen(takes, exchange.request);
      return answer(exchange);
    },
  };
}

/** Refuses a request that uses a chosen parameter or field. */
async function refuseChosen({ query, body: wanted }: Takes, request: Request): Promise<void> {
  const given = new URL(request.url).searchParams;
  for (const { name, source } of query ?? []) {
    if (source === 'chosen' && given.has(name)) throw refusal(name, 'parameter');
  }
  const names = chosenFields(wanted);
  if (names.length === 0) return;
  const body = await readBody(request.clone(), z.unknown(), { isOptional: true });
  if (typeof body !== 'object' || body === null) return;
  for (const name of names) if (Object.hasOwn(body, name)) throw refusal(name, 'field');
}

function strictTakes({ query, body, ...rest }: Takes): Takes {
  return {
    ...rest,
    ...(query !== undefined && { query: query.filter(({ source }) => source !== 'chosen') }),
    ...(body !== undefined && { body: strictBody(body) }),
  };
}

/** Without answers that only chosen parameters produce. */
function strictGives(gives: Contract['gives']): Contract['gives'] {
  const all = Object.entries(gives).map(([status, given]) => [status, strictGiven(given)] as const);
  return Object.fromEntries(all);
}

function strictGiven(given: Given): Given {
  if (!(given instanceof z.ZodUnion)) return given;
  const forms = (given.options as readonly z.ZodType[]).filter((form) => form.meta()?.[sourceKey] !== 'chosen');
  const [only] = forms;
  return only !== undefined && forms.length === 1 ? only : given;
}

function strictBody(body: NonNullable<Takes['body']>): NonNullable<Takes['body']> {
  const names = chosenFields(body);
  if (names.length === 0 || !(body instanceof z.ZodObject)) return body;
  return z.strictObject(Object.fromEntries(Object.entries(body.shape).filter(([name]) => !names.includes(name))));
}

/** Fields of a body that this product chose. */
function chosenFields(body: Takes['body']): string[] {
  if (body === undefined || isBytes(body) || !(body instanceof z.ZodObject)) return [];
  return Object.entries(body.shape as Readonly<Record<string, z.ZodType>>)
    .filter(([, field]) => field.meta()?.[sourceKey] === 'chosen')
    .map(([name]) => name);
}

function refusal(name: string, what: string): FaultError {
  return new FaultError(
    fault('invalid', `${name}: this server is strict, and the platform does not document this ${what}`),
  );
}

export interface RoutesOptions {
  readonly webApps: WebApps;
  /** Files of the metadata folder. */
  readonly metadataFiles?: MetadataFiles;
  /** Leaves out what this product chose. */
  readonly isStrict?: boolean;
}

/** The routes of a front, with those of its documentation. */
export function routesOf({ isStrict = false, ...more }: RoutesOptions): readonly RouteDefinition[] {
  const all = interfaceRoutes(more);
  const routes = isStrict ? strictRoutes(all) : all;
  return [...routes, ...documentRoutes(routes)];
}

function interfaceRoutes({ webApps, metadataFiles = noMetadataFiles }: RoutesOptions): readonly RouteDefinition[] {
  return [
    ...healthRoutes,
    ...sessionRoutes(webApps),
    ...execRoutes(metadataFiles),
    ...externalRoutes,
    ...callRoutes,
    ...conferenceRoutes,
    ...sipUserStateRoutes,
    ...domainRoutes,
    ...entityRoutes,
    ...chatScriptRoutes,
    ...selectorRoutes,
    ...archiveRoutes,
    ...appRoutes,
    ...soundFileRoutes,
    ...journalRoutes,
    ...recordingRoutes,
    ...metadataRoutes(metadataFiles),
    ...staticRoutes(metadataFiles),
    ...socketRoutes,
    ...networkFilterRoutes,
    ...dashboardRoutes,
    ...audioMatcherRoutes,
    ...nodeRoutes,
  ];
}
