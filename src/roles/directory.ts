/** The domain data that mdc and sdc serve: who may log in, and what a number leads to. */
import { scryptSync, timingSafeEqual } from 'node:crypto';
import { done } from '../model/fault.ts';
import type { UserRecord } from '../model/protocol/session.ts';
import type { TopologyUser } from '../model/topology/schema.ts';
import { namedUuid } from '../model/uuid.ts';
import type { Handlers, Role, RoleScope } from '../runtime/role.ts';
import { Numbering } from './numbering.ts';

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
  const numbering = new Numbering(scope.map.topology.domains);
  const salts = scope.random.stream('ids');
  for (const domain of scope.map.topology.domains) {
    for (const user of domain.users) {
      const { login, roles, tags } = user;
      const id = user.id ?? namedUuid(`${domain.name}/${login}`);
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
    'directory.route': ({ domain, number, mode, caller }) => {
      const callee = numbering.calleeOf(domain, number, mode);
      return done({ caller: (caller === undefined ? undefined : numbering.user(domain, caller)) ?? null, callee });
    },
    'directory.sipusers': ({ domain, logins, where }) => {
      const users = numbering.users(domain, logins);
      return done({ users: where === undefined ? users : users.filter((user) => user[where.field] === where.value) });
    },
  };
  return { handlers };
}

function hashOf(pwd: string, salt: Uint8Array): { salt: Uint8Array; key: Buffer } {
  return { salt, key: scryptSync(pwd, salt, keyBytes, scryptCost) };
}
