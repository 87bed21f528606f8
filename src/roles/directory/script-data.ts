/** What mdc and sdc answer alike about scripts and the ways to start them. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Handlers, RoleScope } from '../../cluster/role.ts';
import { done, failed, fault } from '../../model/fault.ts';
import type { ReplyOf } from '../../model/protocol/catalogue.ts';
import type { Database } from '../../storage/database.ts';
import { type DomainDataProvider, userRecordOf, withData } from './reads.ts';

type ScriptAsk = 'directory.channel' | 'directory.roleapp' | 'directory.script' | 'directory.user';

export function scriptHandlers(
  scope: RoleScope,
  provider: DomainDataProvider,
): Pick<Handlers<'mdc'> & Handlers<'sdc'>, ScriptAsk> {
  return {
    'directory.channel': ({ token }) => {
      const data = provider.shared();
      if (data !== undefined) return done(channelIn(data.database, token));
      return failed(fault('unreachable', `${scope.instance.address} has no domain data yet`, scope.instance.address));
    },
    'directory.roleapp': ({ domain, folder }) =>
      withData(scope, provider, domain, ({ database }) =>
        done({ item: database.table('roleapp').findOne(domain, 'folder', folder)?.item ?? null }),
      ),
    'directory.user': ({ domain, login }) =>
      withData(scope, provider, domain, ({ database }) => {
        const row = database.table('user').findOne(domain, 'login', login);
        return done({ user: row === undefined ? null : userRecordOf(row) });
      }),
    'directory.script': ({ domain, kind, code }) =>
      withData(scope, provider, domain, ({ database }) =>
        done({ item: database.table(kind).findOne(domain, 'code', code)?.item ?? null }),
      ),
  };
}

/** Compares with the tokens of all channels, in a time that does not depend on them. Of several the oldest one counts. */
function channelIn(database: Database, token: string): ReplyOf<'directory.channel'> {
  const sought = Buffer.from(token);
  let found: ReplyOf<'directory.channel'> = { item: null };
  let oldest = '';
  for (const { domain, item } of database.table('integrationchannel').all()) {
    const own = Buffer.from(hash('sha256', String(item['token_local'])));
    if (own.length !== sought.length || !timingSafeEqual(own, sought)) continue;
    const { ct } = item.ext;
    if (oldest === '' || ct < oldest) {
      found = { item, domain };
      oldest = ct;
    }
  }
  return found;
}
