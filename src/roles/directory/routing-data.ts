/**
 * The numbering plan of the domains: what a dialled number leads to. In this order: a SIP user's phone number, a feature
 * code, a SIP user's login, the provider accounts of the domain. `user@domain` asks another domain. (chosen)
 */
import type { SipUserItem } from '../../model/entities/user.ts';
import { featureAt } from '../../model/numbers/feature-code.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { DataRow } from '../../model/protocol/messages/data.ts';
import type { AccountRoute, Callee, SipUserRecord } from '../../model/protocol/messages/directory.ts';
import { scriptNumberPrefix } from '../../model/script/component.ts';
import { offsetHoursOf } from '../../model/time.ts';
import type { TopologyDomain } from '../../model/topology/schema.ts';
import type { Database } from '../../storage/database.ts';

export interface Dialled {
  readonly number: string;
  readonly mode: 'number' | 'sipuser';
  /** It was dialled in another domain: the accounts of this one are not for its calls. */
  readonly isFromOutside: boolean;
}

/** Where a number leads in a domain, whose SIP users are in `database`. */
export function calleeOf(database: Database, domain: TopologyDomain, { number, mode, isFromOutside }: Dialled): Callee {
  if (number === '') return { kind: 'none' };
  const login = sipUserOf(database, domain.name, 'login', number);
  if (mode === 'sipuser') return login === undefined ? { kind: 'none' } : { kind: 'sipuser', user: login };
  const user = sipUserOf(database, domain.name, 'phonenumber', number);
  if (user !== undefined) return { kind: 'sipuser', user };
  const script = scriptAt(database, domain.name, number);
  if (script !== undefined)
    return { kind: 'ivr', domain: domain.name, prefix: number, rest: '', script: String(script.item['code']) };
  const feature = featureOf(domain, number);
  if (feature !== undefined) return feature;
  if (login !== undefined) return { kind: 'sipuser', user: login };
  if (isFromOutside || domain.providers.length === 0) return { kind: 'none' };
  return { kind: 'outside', accounts: accountsOf(domain) };
}

/** The IVR script of a number: its own one, or `ivr-CODE`. */
function scriptAt(database: Database, domain: string, number: string): DataRow | undefined {
  const scripts = database.table('ivrscript');
  if (!number.startsWith(scriptNumberPrefix)) return scripts.findOne(domain, 'number', number);
  return scripts.findOne(domain, 'code', number.slice(scriptNumberPrefix.length));
}

/** A conference of either type needs two digits of room behind the prefix. */
function featureOf({ name: domain, features }: TopologyDomain, number: string): Callee | undefined {
  const feature = featureAt(features, number);
  if (feature === undefined) return undefined;
  const { prefix, type } = feature;
  const rest = number.slice(prefix.length);
  if (type === 'ivr') return { kind: 'ivr', domain, prefix, rest };
  return /^\d\d$/.test(rest) ? { kind: 'conference', domain, prefix, room: rest } : undefined;
}

function accountsOf({ name: domain, providers }: TopologyDomain): AccountRoute[] {
  return providers.map(({ code, esg, username, domain: remote, trunks }) => ({
    domain,
    code,
    esg,
    username,
    remote,
    trunks,
  }));
}

/** Records are made once for each row: a row that changes is another one. */
const records = new WeakMap<DataRow, SipUserRecord>();

/** The SIP user with this login or phone number. */
export function sipUserOf(
  database: Database,
  domain: string,
  field: 'login' | 'phonenumber',
  value: string,
): SipUserRecord | undefined {
  const row = value === '' ? undefined : database.table('sipuser').findOne(domain, field, value);
  return row && recordOf(row);
}

/** All SIP users of a domain, or the requested ones, in the order of lists or of the logins. */
export function sipUsersOf(
  database: Database,
  { domain, logins, where }: BodyOf<'directory.sipusers'>,
): SipUserRecord[] {
  const table = database.table('sipuser');
  // Ids are stored in lower case.
  const value = where?.field === 'phonenumber' ? where.value : where?.value.toLowerCase();
  const rows =
    logins !== undefined
      ? logins.flatMap((login) => table.findOne(domain, 'login', login) ?? [])
      : where !== undefined
        ? table.find(domain, where.field, value)
        : table.inOrder(domain);
  const users = rows.map(recordOf);
  return where === undefined ? users : users.filter((user) => user[where.field] === value);
}

function recordOf(row: DataRow): SipUserRecord {
  const known = records.get(row);
  if (known !== undefined) return known;
  const { id, login, pwd, name, phonenumber, iduser, reg, lic, opts } = row.item as unknown as SipUserItem;
  const { calltimesec, dlgtimesec, maxexpires, minexpires, modextin, modextout } = opts;
  const record: SipUserRecord = {
    id,
    domain: row.domain,
    login,
    pwd,
    name: name === '' ? login : name,
    phonenumber,
    iduser,
    devices: devicesAllowed({ reg, lic, opts }),
    calltimesec,
    dlgtimesec,
    trunks: trunksOf({ opts }),
    maxexpires,
    minexpires,
    modextin,
    modextout,
  };
  records.set(row, record);
  return record;
}

/** The time zone of a SIP user, hours: its own, else that of the user who is bound to it. `undefined`: that of the domain. */
export function offsetHoursIn(database: Database, { id, iduser }: SipUserRecord): number | undefined {
  const own = database.table('sipuser').get(id)?.item['timezone'];
  return offsetHoursOf(own) ?? offsetHoursOf(database.table('user').get(iduser)?.item['timezone']);
}

/** How many devices may be registered as a SIP user: none where it may not register, one on an analog line. (chosen) */
export function devicesAllowed({ reg, lic, opts }: Pick<SipUserItem, 'reg' | 'lic' | 'opts'>): number {
  if (reg === 0) return 0;
  return isAnalogLine({ opts }) ? Math.min(lic.devices, 1) : lic.devices;
}

/** How many calls a SIP user may have at a time; -1: any number. */
function trunksOf({ opts }: Pick<SipUserItem, 'opts'>): number {
  if (!isAnalogLine({ opts })) return opts.trunks;
  return opts.trunks === 0 ? 0 : 1;
}

/** Whether a SIP user is a port of an analog gateway: one line, which has one device and carries one call at a time. (chosen) */
function isAnalogLine({ opts: { agat_chassis_id, agat_lm_id, agat_port_id } }: Pick<SipUserItem, 'opts'>): boolean {
  return [agat_chassis_id, agat_lm_id, agat_port_id].every((part) => part !== '');
}
