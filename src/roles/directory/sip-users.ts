/** The SIP users of the domain data as the platform uses them. */
import type { SipUserItem } from '../../model/entities/user.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { DataRow } from '../../model/protocol/data.ts';
import type { SipUserRecord } from '../../model/protocol/directory.ts';
import { offsetHoursOf } from '../../model/time-zone.ts';
import type { Database } from '../../storage/database.ts';

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

/** All SIP users of a domain, or those that are asked for, in the order of lists or of the logins. */
export function sipUsersOf(
  database: Database,
  { domain, logins, where }: BodyOf<'directory.sipusers'>,
): SipUserRecord[] {
  const table = database.table('sipuser');
  const rows =
    logins !== undefined
      ? logins.flatMap((login) => table.findOne(domain, 'login', login) ?? [])
      : where !== undefined
        ? table.find(domain, where.field, where.value)
        : table.inOrder(domain);
  const users = rows.map(recordOf);
  return where === undefined ? users : users.filter((user) => user[where.field] === where.value);
}

function recordOf(row: DataRow): SipUserRecord {
  const known = records.get(row);
  if (known !== undefined) return known;
  const { id, login, pwd, name, phonenumber, iduser, reg, lic, opts } = row.item as unknown as SipUserItem;
  const { calltimesec, dlgtimesec, trunks, maxexpires, minexpires, modextin, modextout } = opts;
  const record: SipUserRecord = {
    id,
    domain: row.domain,
    login,
    pwd,
    name: name === '' ? login : name,
    phonenumber,
    iduser,
    devices: devicesAllowed({ reg, lic }),
    calltimesec,
    dlgtimesec,
    trunks,
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

/** How many devices may be registered as a SIP user: none where it may not register. (chosen) */
export function devicesAllowed({ reg, lic }: Pick<SipUserItem, 'reg' | 'lic'>): number {
  return reg === 0 ? 0 : lic.devices;
}
