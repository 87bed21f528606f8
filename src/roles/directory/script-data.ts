/** What mdc and sdc answer alike about scripts and the ways to start them. */
import type { Handlers, RoleScope } from '../../cluster/role.ts';
import { done } from '../../model/fault.ts';
import { type Holder, withData } from './reads.ts';

type ScriptAsk = 'directory.script';

export function scriptHandlers(scope: RoleScope, holder: Holder): Pick<Handlers<'mdc'> & Handlers<'sdc'>, ScriptAsk> {
  return {
    'directory.script': ({ domain, kind, code }) =>
      withData(scope, holder, domain, ({ database }) =>
        done({ item: database.table(kind).findOne(domain, 'code', code)?.item ?? null }),
      ),
  };
}
