/** The border rules of the domain data, for the SIP edges, the record rules, for b2b, and notices of changes. */
import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import { entityOf } from '../../model/entities/entities.ts';
import type { DataRow, DataRowChange } from '../../model/protocol/messages/data.ts';
import type { BorderRuleRecord, DomainRules, SipUserRecord } from '../../model/protocol/messages/directory.ts';
import { inForce, type RuleRecord, ruleRecordSchema } from '../../model/recording/recording.ts';
import type { TopologyDomain } from '../../model/topology/schema.ts';
import type { Database } from '../../storage/database.ts';
import { offsetHoursIn } from './routing-data.ts';

const borderRuleKind = entityOf('borderrule').kind;
const sipUserKind = entityOf('sipuser').kind;

/** The rules that are enabled, in the order of lists. */
export function borderRulesIn(database: Database, masterDomain: string): BorderRuleRecord[] {
  const rows = database
    .table(borderRuleKind)
    .inOrder(masterDomain)
    .filter(({ item }) => item['enabled'] === 1);
  return rows.map(({ item }) => {
    const { id, priority, site, domain, username, useragent, remoteipmask, action } =
      item as unknown as BorderRuleRecord;
    return { id, priority, site, domain, username, useragent, remoteipmask, action };
  });
}

/** So many changed SIP users are named; more are not. */
const mostNamed = 100;

/** Notifies the edges that read border rules here, and the fronts that read SIP users, of changes that can be read now. */
export function notifyReaders(scope: RoleScope, changes: readonly DataRowChange[] | 'all'): void {
  const { instance, tell } = scope;
  const rowsOf = (kind: string) =>
    changes === 'all' ? undefined : changes.map(rowOf).filter((row) => row.kind === kind);
  if (rowsOf(borderRuleKind)?.length !== 0) {
    const edges = [...activeInstances(scope, 'sg'), ...activeInstances(scope, 'esg')];
    for (const { site, address } of edges) if (isServedFrom(scope, site)) tell(address, 'directory.changed', {});
  }
  const users = rowsOf(sipUserKind);
  if (users?.length === 0) return;
  const isNamed = users !== undefined && users.length <= mostNamed;
  const body = isNamed ? { changedusers: users.map(({ id, iduser }): [string, string] => [id, iduser]) } : {};
  const fronts = activeInstances(scope, 'ws').filter(({ site }) => site === instance.site || instance.role === 'mdc');
  for (const { address } of fronts) tell(address, 'directory.changed', body);
}

function rowOf(change: DataRowChange) {
  if ('gone' in change) return { kind: change.gone.kind, id: change.gone.id, iduser: '' };
  const { kind, item } = change.put;
  return { kind, id: item.id, iduser: String(item['iduser'] ?? '') };
}

/** Whether the edges of a site ask here: those of the own site do and, at the master site, those of sites without a copy. */
function isServedFrom({ map, instance }: RoleScope, site: string): boolean {
  if (site === instance.site) return true;
  return instance.role === 'mdc' && !map.instancesOf('sdc').some((each) => each.site === site);
}

const recordRuleKind = entityOf('recordrule').kind;
const ruleOf = ruleRecordSchema.strip();
/** Made once for each row: a row that changes is another one. */
const known = new WeakMap<DataRow, RuleRecord | null>();

/** The rules of a domain that can make a difference for a call of this SIP user of it; nothing where none can. */
export function recordRulesIn(
  database: Database,
  settings: Pick<TopologyDomain, 'name' | 'timezone' | 'storagerules'>,
  user: SipUserRecord | undefined,
): DomainRules | undefined {
  const { name: domain, timezone } = settings;
  const rows = database.table(recordRuleKind).inOrder(domain);
  if (rows.length === 0) return undefined;
  const rules = inForce(rows.flatMap((row) => recordOf(row, settings) ?? []));
  if (rules.length === 0) return undefined;
  return { domain, offsetHours: (user && offsetHoursIn(database, user)) ?? timezone, rules };
}

/** The part of an answer about a route that has the rules. */
export function named(...all: readonly (DomainRules | undefined)[]): { recordrules?: DomainRules[] } {
  const recordrules = all.filter((rules) => rules !== undefined);
  return recordrules.length === 0 ? {} : { recordrules };
}

/** Nothing of a row that was written when its fields could be anything. */
function recordOf(row: DataRow, { storagerules }: Pick<TopologyDomain, 'storagerules'>): RuleRecord | null {
  const made = known.get(row);
  if (made !== undefined) return made;
  const { storageruleid } = row.item as { readonly storageruleid?: unknown };
  const keepSeconds = storagerules.find(({ id }) => id === storageruleid)?.keepSeconds;
  const keepMs = keepSeconds === undefined ? {} : { keepMs: keepSeconds * 1_000 };
  const record = ruleOf.safeParse({ ...row.item, ...keepMs }).data ?? null;
  known.set(row, record);
  return record;
}
