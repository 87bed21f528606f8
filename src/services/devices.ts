/** The devices that are registered as a SIP user, as its item shows them: who it is the directory knows, who is registered sr. */
import type { Outcome } from '../model/fault.ts';
import type { Place } from '../model/protocol/data.ts';
import type { BindingCopy } from '../model/protocol/registrar.ts';
import { askFirst } from '../runtime/asking.ts';
import type { RoleScope } from '../runtime/role.ts';

/** So long an item waits for its devices at most. */
const askMs = 2_000;

type Values = Readonly<Record<string, unknown>>;

export interface WithDevices {
  readonly item: Values;
  /** Sites whose sr serves the domain, where none of them answered: what is registered is not known, and not shown. */
  readonly missing: readonly string[];
}

/** A SIP user with its devices, as far as an sr is in reach; an item of another kind as it is. */
export async function withDevices(scope: RoleScope, { kind, domain }: Place, item: Values): Promise<WithDevices> {
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
  return askFirst(scope, { role: 'sr', domain }, { ...question, patienceMs: askMs / 2 });
}

function registrarSites({ map }: RoleScope, domain: string): string[] {
  return [...map.sites.keys()].filter((site) => map.serving('sr', site, domain).length > 0);
}

function deviceOf({ device, contact, userAgent, path, leftMs }: BindingCopy): Values {
  const [site] = path.split('/');
  const expires = Math.max(0, Math.round(leftMs / 1_000));
  return { device, contact, ...(userAgent !== '' && { useragent: userAgent }), expires, site };
}
