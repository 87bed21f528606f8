/** The domain data that mdc and sdc serve. For now: who may log in. */
import { createHash, scryptSync, timingSafeEqual } from 'node:crypto';
import { done } from '../model/fault.ts';
import type { UserRecord } from '../model/protocol/session.ts';
import type { TopologyUser } from '../model/topology/schema.ts';
import type { Handlers, Role, RoleScope } from '../runtime/role.ts';

interface Known {
  readonly user: TopologyUser;
  readonly record: UserRecord;
  /** Salted scrypt of the password; made when the user first logs in, for it takes its time. */
  hash?: { salt: Uint8Array; key: Buffer };
}

const scryptCost = { N: 4_096, r: 8, p: 1 };
const keyBytes = 32;

export function createDirectory(scope: RoleScope): Role<'mdc'> & Role<'sdc'> {
  const users = new Map<string, Known>();
  const salts = scope.random.stream('ids');
  for (const domain of scope.map.topology.domains) {
    for (const user of domain.users) {
      const { login, roles, tags } = user;
      const id = user.id ?? uuidOf(`${domain.name}/${login}`);
      users.set(`${domain.name}/${login}`, { user, record: { id, login, name: user.name ?? login, roles, tags } });
    }
  }
  const handlers: Handlers<'mdc'> & Handlers<'sdc'> = {
    'directory.authenticate': ({ domain, login, pwd }) => {
      const known = users.get(`${domain}/${login}`);
      if (known === undefined) return done({ user: null });
      known.hash ??= hashOf(known.user.pwd, salts.bytes(16));
      const { key } = hashOf(pwd, known.hash.salt);
      return done({ user: timingSafeEqual(key, known.hash.key) ? known.record : null });
    },
  };
  return { handlers };
}

function hashOf(pwd: string, salt: Uint8Array): { salt: Uint8Array; key: Buffer } {
  return { salt, key: scryptSync(pwd, salt, keyBytes, scryptCost) };
}

/** A name-based UUID (RFC 9562, version 5 layout): the same user has the same id at every site and after every start. */
function uuidOf(name: string): string {
  const hash = createHash('sha1').update(`strowger/${name}`).digest().subarray(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
