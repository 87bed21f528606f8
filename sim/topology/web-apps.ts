/** Web applications from metadata files: those of the solution first, else the common ones. (look-up order documented) */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type WebApp, type WebApps, webAppsSchema } from '../../src/services/web-apps.ts';
import { readYaml } from '../yaml.ts';
import { readText } from './load.ts';

export function loadWebApps(folder: string): WebApps {
  const loaded = new Map<string, readonly WebApp[]>();
  const load = (solution: string): readonly WebApp[] => {
    const file = join(folder, solution, 'webapps.json');
    if (!existsSync(file)) return solution === 'common' ? [] : load('common');
    // JSON is YAML, and this reader knows lines and columns.
    const apps = readYaml(file, readText(file), { schema: webAppsSchema });
    return apps.toSorted((a, b) => a.order - b.order);
  };
  return (solution) => {
    const apps = loaded.get(solution) ?? load(solution);
    loaded.set(solution, apps);
    return apps;
  };
}
