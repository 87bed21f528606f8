/** All routes of the interface, each subject in a file of its own. */
import { type MetadataFiles, noMetadataFiles } from '../services/metadata.ts';
import type { WebApps } from '../services/web-apps.ts';
import type { Route } from './route.ts';
import { appRoutes } from './routes/app.ts';
import { archiveRoutes } from './routes/archives.ts';
import { audioMatcherRoutes } from './routes/audio-matcher.ts';
import { callRoutes } from './routes/calls.ts';
import { conferenceRoutes } from './routes/conferences.ts';
import { dashboardRoutes } from './routes/dashboards.ts';
import { documentRoutes } from './routes/docs.ts';
import { domainRoutes } from './routes/domains.ts';
import { entityRoutes } from './routes/entities.ts';
import { healthRoutes } from './routes/health.ts';
import { journalRoutes } from './routes/journal.ts';
import { metadataRoutes } from './routes/metadata.ts';
import { networkFilterRoutes } from './routes/network-filters.ts';
import { nodeRoutes } from './routes/nodes.ts';
import { parkingRoutes } from './routes/parking.ts';
import { recordingRoutes } from './routes/recordings.ts';
import { selectorRoutes } from './routes/selectors.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { sipUserStateRoutes } from './routes/sipuser-states.ts';
import { socketRoutes } from './routes/socket.ts';
import { staticRoutes } from './routes/static.ts';
import { unbuiltRoutes } from './routes/unbuilt.ts';
import { strictRoutes } from './strict.ts';

export interface RoutesOptions {
  readonly webApps: WebApps;
  /** Files of the metadata folder. */
  readonly metadataFiles?: MetadataFiles;
  /** Without what this product chose. */
  readonly isStrict?: boolean;
}

/** The routes of a front, with those that document them. */
export function routesOf({ isStrict = false, ...more }: RoutesOptions): readonly Route[] {
  const all = interfaceRoutes(more);
  const routes = isStrict ? strictRoutes(all) : all;
  return [...routes, ...documentRoutes(routes)];
}

function interfaceRoutes({ webApps, metadataFiles = noMetadataFiles }: RoutesOptions): readonly Route[] {
  return [
    ...healthRoutes,
    ...sessionRoutes(webApps),
    ...callRoutes,
    ...conferenceRoutes,
    ...sipUserStateRoutes,
    ...domainRoutes,
    ...entityRoutes,
    ...selectorRoutes,
    ...archiveRoutes,
    ...appRoutes,
    ...parkingRoutes,
    ...journalRoutes,
    ...recordingRoutes,
    ...metadataRoutes(metadataFiles),
    ...staticRoutes(metadataFiles),
    ...socketRoutes,
    ...networkFilterRoutes,
    ...dashboardRoutes,
    ...audioMatcherRoutes,
    ...nodeRoutes,
    ...unbuiltRoutes,
  ];
}
