/** The registered devices of a SIP user, as its item shows them. */
import { askRole } from '../cluster/messaging/ask-in-order.ts';
import type { RoleScope } from '../cluster/role.ts';
import type { Outcome } from '../model/fault.ts';
import type { EntityCollection } from '../model/protocol/messages/data.ts';
import type { BindingCopy } from '../model/protocol/messages/registrar.ts';

/** Maximum time that an item waits for its devices. */
const askMs = 2_000;

type Values = Readonly<Record<string, unknown>>;

export interface WithDevices {
  readonly item: Values;
  /** Sites of the domain without an sr that answered: their registrations are unknown and left out. */
  readonly missing: readonly string[];
}

/** A SIP user with its registered devices, as far as an sr is reachable; items of other kinds are returned unchanged. */
export async function withDevices(
  scope: RoleScope,
  { kind, domain }: EntityCollection,
  item: Values,
): Promise<WithDevices> {
  if (kind !== 'sipuser') return { item, missing: [] };
  const bindings = await bindingsOf(scope, domain, String(item['login']));
  const { devices: _, ...rest } = item;
  if (!bindings.ok) return { item: rest, missing: registrarSites(scope, domain) };
  return { item: { ...item, devices: bindings.value.bindings.map(deviceOf) }, missing: [] };
}

function bindingsOf(
  scope: RoleScope,
  domain: string,
  login: string,
): Promise<Outcome<{ readonly bindings: readonly BindingCopy[] }>> {
  const body = { domain, logins: [login] };
  const question = { type: 'registrar.lookup' as const, body, deadlineMs: scope.clock.now() + askMs };
  return askRole(scope, { role: 'sr', domain }, { ...question, patienceMs: askMs / 2 });
}

function registrarSites({ map }: RoleScope, domain: string): string[] {
  return [...map.sites.keys()].filter((site) => map.serving('sr', site, domain).length > 0);
}

function deviceOf({ device, contact, userAgent, path, leftMs }: BindingCopy): Values {
  const [site] = path.split('/');
  const expires = Math.max(0, Math.round(leftMs / 1_000));
  return { device, contact, ...(userAgent !== '' && { useragent: userAgent }), expires, site };
}
