/** The applications listed in a session: those in the metadata of its solution, and role applications. */
import { z } from 'zod';
import { askInTurn } from '../../cluster/messaging/ask-in-order.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';
import type { ReplyOf } from '../../model/protocol/catalogue.ts';
import type { SessionRecord } from '../../model/protocol/messages/session.ts';
import { directoriesOf } from '../domains.ts';

/** An application. Further fields of the metadata file are kept. (documented) */
export const webAppsSchema = z.array(
  z.looseObject({
    name: z.string(),
    description: z.string(),
    order: z.int(),
    icon: z.string(),
    'fa-icon': z.string(),
    roles: z.array(z.string()),
    url: z.string(),
  }),
);

export type WebApp = z.infer<typeof webAppsSchema>[number];

/** The applications of a solution, by display order. */
export type WebApps = (solution: string) => readonly WebApp[];

/** The icon of role applications without one. (chosen) */
const defaultIcon = '/static/icons/app.svg';

/** The metadata file of a role application. Address and roles come from the platform. (chosen) */
export const aboutSchema = webAppsSchema.element.omit({ url: true, roles: true }).partial();

/** Default position: after the applications of the solution. (chosen) */
const lastOrder = 1_000;

/**
 * The role applications that a session may use, from the nearest copy of the domain data. Empty if no directory answers
 * soon, so that a request for the session does not wait.
 */
export async function roleAppsOf(scope: RoleScope, session: SessionRecord): Promise<WebApp[]> {
  const { domain } = session;
  const { masters, copies, unreachable } = directoriesOf(scope, domain);
  const deadlineMs = scope.clock.now() + limits.webAppsMs;
  const directories = [...copies, ...masters];
  // The only one may be far away.
  const patienceMs = limits.webAppsMs / Math.max(1, directories.length);
  const question = { type: 'file.apps', body: { domain }, deadlineMs, patienceMs } as const;
  const outcome = await askInTurn(scope, directories, question, { unreachable });
  if (!outcome.ok) return [];
  return outcome.value.apps.filter(({ roles }) => isOpenTo(session, roles)).map(webAppOf);
}

/** Whether a session may use an application. (roles documented; that `admin` may use all of them chosen) */
export function isOpenTo({ user }: SessionRecord, roles: readonly string[]): boolean {
  return roles.length === 0 || user.roles.includes('admin') || roles.some((role) => user.roles.includes(role));
}

/** An icon that is no address is the name of a file of the application. (chosen) */
function webAppOf({ folder, title, roles, about }: ReplyOf<'file.apps'>['apps'][number]): WebApp {
  const url = `/app/${folder}/`;
  const { icon = '', ...more } = aboutSchema.parse(about);
  return {
    ...{
      name: title === '' ? folder : title,
      description: '',
      order: lastOrder,
      'fa-icon': '',
    },
    ...more,
    ...{ roles, url, icon: iconOf(icon, url) },
  } as WebApp;
}

function iconOf(icon: string, url: string): string {
  if (icon === '') return defaultIcon;
  return isAbsolute(icon) ? icon : `${url}${icon.split('/').map(encodeURIComponent).join('/')}`;
}

/** Whether an address starts with a slash or a scheme, such as `https:`. */
export function isAbsolute(address: string): boolean {
  return /^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(address);
}
