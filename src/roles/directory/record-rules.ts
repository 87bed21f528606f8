/** The record rules of the domain data, for b2b, which applies them when a call connects. */
import { entityOf } from '../../model/entities/entities.ts';
import type { DataRow } from '../../model/protocol/data.ts';
import type { DomainRules, SipUserRecord } from '../../model/protocol/directory.ts';
import { inForce, type RuleRecord, ruleRecordSchema } from '../../model/recording.ts';
import type { TopologyDomain } from '../../model/topology/schema.ts';
import type { Database } from '../../storage/database.ts';
import { offsetHoursIn } from './sip-users.ts';

const { kind } = entityOf('recordrule');
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
  const rows = database.table(kind).inOrder(domain);
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
