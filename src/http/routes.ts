/** All routes of the interface, each subject in a file of its own. */
import type { WebApps } from '../services/web-apps.ts';
import type { Route } from './route.ts';
import { dashboardRoutes } from './routes/dashboards.ts';
import { healthRoutes } from './routes/health.ts';
import { networkFilterRoutes } from './routes/network-filters.ts';
import { nodeRoutes } from './routes/nodes.ts';
import { sessionRoutes } from './routes/sessions.ts';

export function routesOf({ webApps }: { webApps: WebApps }): readonly Route[] {
  return [...healthRoutes, ...sessionRoutes(webApps), ...networkFilterRoutes, ...dashboardRoutes, ...nodeRoutes];
}
